// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The matrix intrinsics on register types of plain bytes, computed by the instruction set model
/// (vmadot by its twin in lanes): include tessera/ime.h, which documents them.
#ifndef TESSERA_BACKEND_EMU_EMULATED_IME_H_
#define TESSERA_BACKEND_EMU_EMULATED_IME_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tessera/backend/emu/product.hpp"
#include "tessera/config.hpp"
#include "tessera/isa/ime/all.hpp"

#ifndef TSR_SMT_EMULATED_VLEN
#define TSR_SMT_EMULATED_VLEN 1024
#endif
#ifndef TSR_SMT_EMULATED_BF16
#define TSR_SMT_EMULATED_BF16 0
#endif

TESSERA_ISA_NAMESPACE_BEGIN

/// Count registers of Vlen bits that hold elements of type T.
template <class T, int Count, int Vlen>
struct EmulatedRegister {
  static_assert(Vlen == 256 || Vlen == 1024, "cores have a VLEN of 256 or 1024");
  static constexpr int count = Count;
  std::uint8_t bytes[static_cast<std::size_t>(Count * Vlen / 8)];
};

namespace detail {

inline constexpr ime::Profile emulated_profile = TSR_SMT_EMULATED_VLEN == 256 ? ime::k1
                                                 : TSR_SMT_EMULATED_BF16      ? ime::k3_bf16
                                                                              : ime::k3;

/// Executes Insn on a small register file: mask or scales in v0, vs1 in v4, vs2 in v6, vd in v8.
template <class Insn, int Sew, class D, class A, class B>
TESSERA_INLINE D emulate_ime(const D& d, const A& a, const B& b, unsigned imm,
                             const std::uint8_t* v0) {
  constexpr ime::Profile profile = emulated_profile;
  static_assert(profile.has(Insn::extension), "this core has no such instruction");
  static_assert(D::count == Insn::signature.vd_registers);
  static_assert(A::count == Insn::signature.vs1_registers);
  if constexpr (requires { emu_product<profile>(Insn{}); }) {
    D result = d;
    emu_product<profile>(Insn{}).multiply(result.bytes, a.bytes, b.bytes);
    return result;
  }
  constexpr int vlenb = profile.vlen_bytes();
  std::uint8_t registers[static_cast<std::size_t>(10 * vlenb)];
  const ime::RegFile file{registers, vlenb};
  if (v0 != nullptr) std::memcpy(file.reg(0), v0, static_cast<std::size_t>(vlenb));
  std::memcpy(file.reg(4), a.bytes, sizeof a.bytes);
  std::memcpy(file.reg(6), b.bytes, sizeof b.bytes);
  std::memcpy(file.reg(8), d.bytes, sizeof d.bytes);
  ime::VectorState state{file,
                         {Sew == 8    ? 0u
                          : Sew == 16 ? 8u
                          : Sew == 32 ? 16u
                                      : 24u},
                         static_cast<std::uint64_t>(profile.vlen / Sew),
                         0,
                         0};
  if (imm > 255) __builtin_trap();
  const ime::Operands operands{
      .vd = 8, .vs1 = 4, .vs2 = 6, .vmask = 0, .imm = static_cast<std::uint8_t>(imm)};
  if (ime::check_operands(Insn::signature, operands) != ime::Rule::none) __builtin_trap();
  Insn::template exec<ime::DefaultNumerics>(profile, state, operands);
  D result;
  std::memcpy(result.bytes, file.reg(8), sizeof result.bytes);
  return result;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

// The names that RVV's types have.
#define TSR_SMT_TYPE_(name, type)                                                  \
  using v##name##m1_t = tessera::EmulatedRegister<type, 1, TSR_SMT_EMULATED_VLEN>; \
  using v##name##m2_t = tessera::EmulatedRegister<type, 2, TSR_SMT_EMULATED_VLEN>;
TSR_SMT_TYPE_(int8, std::int8_t)
TSR_SMT_TYPE_(uint8, std::uint8_t)
TSR_SMT_TYPE_(int16, std::int16_t)
TSR_SMT_TYPE_(uint16, std::uint16_t)
TSR_SMT_TYPE_(int32, std::int32_t)
TSR_SMT_TYPE_(uint32, std::uint32_t)
TSR_SMT_TYPE_(int64, std::int64_t)
TSR_SMT_TYPE_(uint64, std::uint64_t)
TSR_SMT_TYPE_(float32, float)

#define TSR_SMT_INLINE static inline __attribute__((unused))
#define TSR_SMT_INSN_(...) tessera::ime::__VA_ARGS__

#define TSR_SMT_PRODUCT_(name, insn, c_type, a_type, b_type)                           \
  TSR_SMT_INLINE c_type tsr_smt_##name(c_type c, a_type a, b_type b) {                 \
    return tessera::detail::emulate_ime<TSR_SMT_INSN_(insn), 32>(c, a, b, 0, nullptr); \
  }
#define TSR_SMT_INT8_ <tessera::ime::Element::int8>
#define TSR_SMT_INT4_ <tessera::ime::Element::int4>
#define TSR_SMT_SIGNS_(name, insn, suffix, arguments, lmul)                                       \
  TSR_SMT_PRODUCT_(name##suffix, insn arguments, vint32m2_t, vint8##lmul##_t, vint8m1_t)          \
  TSR_SMT_PRODUCT_(name##u##suffix, insn##u arguments, vint32m2_t, vuint8##lmul##_t, vuint8m1_t)  \
  TSR_SMT_PRODUCT_(name##su##suffix, insn##su arguments, vint32m2_t, vint8##lmul##_t, vuint8m1_t) \
  TSR_SMT_PRODUCT_(name##us##suffix, insn##us arguments, vint32m2_t, vuint8##lmul##_t, vint8m1_t)

TSR_SMT_SIGNS_(vmadot, Vmadot, , TSR_SMT_INT8_, m1)
TSR_SMT_SIGNS_(vmadot1, Vmadot1, , , m2)
TSR_SMT_SIGNS_(vmadot2, Vmadot2, , , m2)
TSR_SMT_SIGNS_(vmadot3, Vmadot3, , , m2)

#if TSR_SMT_EMULATED_VLEN == 1024
TSR_SMT_SIGNS_(vmadot, Vmadot, _i4, TSR_SMT_INT4_, m1)
TSR_SMT_PRODUCT_(vfwmadot, Vfwmadot, vfloat32m2_t, vuint16m1_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot1, Vfwmadot1, vfloat32m2_t, vuint16m2_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot2, Vfwmadot2, vfloat32m2_t, vuint16m2_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot3, Vfwmadot3, vfloat32m2_t, vuint16m2_t, vuint16m1_t)

#define TSR_SMT_WITH_V0_(name, insn, c_type, a_type, b_type, v0_type)                            \
  TSR_SMT_INLINE c_type tsr_smt_##name(c_type c, a_type a, b_type b, v0_type v0, unsigned imm) { \
    return tessera::detail::emulate_ime<TSR_SMT_INSN_(insn), 32>(c, a, b, imm, v0.bytes);        \
  }
#define TSR_SMT_WITH_V0_SIGNS_(kind, insn_kind, suffix, arguments, c, lmul, v0)                \
  TSR_SMT_WITH_V0_(vmadot##kind##suffix, Vmadot##insn_kind arguments, c, vint8##lmul##_t,      \
                   vint8m1_t, v0)                                                              \
  TSR_SMT_WITH_V0_(vmadotu##kind##suffix, Vmadotu##insn_kind arguments, c, vuint8##lmul##_t,   \
                   vuint8m1_t, v0)                                                             \
  TSR_SMT_WITH_V0_(vmadotsu##kind##suffix, Vmadotsu##insn_kind arguments, c, vint8##lmul##_t,  \
                   vuint8m1_t, v0)                                                             \
  TSR_SMT_WITH_V0_(vmadotus##kind##suffix, Vmadotus##insn_kind arguments, c, vuint8##lmul##_t, \
                   vint8m1_t, v0)
TSR_SMT_WITH_V0_SIGNS_(_sp, Sp, , TSR_SMT_INT8_, vint32m2_t, m2, vuint8m1_t)
TSR_SMT_WITH_V0_SIGNS_(_sp, Sp, _i4, TSR_SMT_INT4_, vint32m2_t, m2, vuint8m1_t)
TSR_SMT_WITH_V0_SIGNS_(_hp, Hp, , TSR_SMT_INT8_, vuint16m1_t, m1, vuint16m1_t)
TSR_SMT_WITH_V0_SIGNS_(_hp, Hp, _i4, TSR_SMT_INT4_, vuint16m1_t, m1, vuint16m1_t)

#define TSR_SMT_LAYOUT_(name, insn, sew, d_type, a_type)                                         \
  TSR_SMT_INLINE d_type tsr_smt_##name(a_type a, a_type b, unsigned imm) {                       \
    return tessera::detail::emulate_ime<TSR_SMT_INSN_(insn), sew>(d_type{}, a, b, imm, nullptr); \
  }
#define TSR_SMT_WIDE_(type, name, sew)                                    \
  TSR_SMT_LAYOUT_(vpack_##name, Vpack, sew, v##type##m2_t, v##type##m1_t) \
  TSR_SMT_LAYOUT_(vupack_##name, Vupack, sew, v##type##m2_t, v##type##m1_t)
TSR_SMT_WIDE_(int8, i8, 8)
TSR_SMT_WIDE_(uint8, u8, 8)
TSR_SMT_WIDE_(int16, i16, 16)
TSR_SMT_WIDE_(uint16, u16, 16)
TSR_SMT_WIDE_(int32, i32, 32)
TSR_SMT_WIDE_(uint32, u32, 32)
TSR_SMT_WIDE_(int64, i64, 64)
TSR_SMT_WIDE_(uint64, u64, 64)
TSR_SMT_LAYOUT_(vnpack_i16, Vnpack, 8, vint8m1_t, vint16m1_t)
TSR_SMT_LAYOUT_(vnpack_u16, Vnpack, 8, vuint8m1_t, vuint16m1_t)
TSR_SMT_LAYOUT_(vnpack_i32, Vnpack, 16, vint16m1_t, vint32m1_t)
TSR_SMT_LAYOUT_(vnpack_u32, Vnpack, 16, vuint16m1_t, vuint32m1_t)
TSR_SMT_LAYOUT_(vnpack_i64, Vnpack, 32, vint32m1_t, vint64m1_t)
TSR_SMT_LAYOUT_(vnpack_u64, Vnpack, 32, vuint32m1_t, vuint64m1_t)
TSR_SMT_LAYOUT_(vnspack_i16, Vnspack, 8, vint8m1_t, vint16m1_t)
TSR_SMT_LAYOUT_(vnspack_i32, Vnspack, 16, vint16m1_t, vint32m1_t)
TSR_SMT_LAYOUT_(vnspack_i64, Vnspack, 32, vint32m1_t, vint64m1_t)
TSR_SMT_LAYOUT_(vnpack4_i8, Vnpack4, 8, vint8m1_t, vint8m1_t)
TSR_SMT_LAYOUT_(vnpack4_u8, Vnpack4, 8, vuint8m1_t, vuint8m1_t)
TSR_SMT_LAYOUT_(vnspack4_i8, Vnspack4, 8, vint8m1_t, vint8m1_t)
#undef TSR_SMT_WITH_V0_
#undef TSR_SMT_WITH_V0_SIGNS_
#undef TSR_SMT_LAYOUT_
#undef TSR_SMT_WIDE_
#endif

/// Bytes of one register.
TSR_SMT_INLINE std::size_t tsr_smt_vlenb() {
  return TSR_SMT_EMULATED_VLEN / 8;
}
#define TSR_SMT_MEMORY_(type, c_type, name, lmul)                                       \
  TSR_SMT_INLINE v##type##lmul##_t tsr_smt_load_##name##lmul(const c_type* from) {      \
    v##type##lmul##_t value;                                                            \
    std::memcpy(value.bytes, from, sizeof value.bytes);                                 \
    return value;                                                                       \
  }                                                                                     \
  TSR_SMT_INLINE void tsr_smt_store_##name##lmul(c_type* to, v##type##lmul##_t value) { \
    std::memcpy(to, value.bytes, sizeof value.bytes);                                   \
  }
#define TSR_SMT_MEMORY_BOTH_(type, name) \
  TSR_SMT_MEMORY_(type, std::type##_t, name, m1) TSR_SMT_MEMORY_(type, std::type##_t, name, m2)
TSR_SMT_MEMORY_BOTH_(int8, i8)
TSR_SMT_MEMORY_BOTH_(uint8, u8)
TSR_SMT_MEMORY_BOTH_(int16, i16)
TSR_SMT_MEMORY_BOTH_(uint16, u16)
TSR_SMT_MEMORY_BOTH_(int32, i32)
TSR_SMT_MEMORY_BOTH_(uint32, u32)
TSR_SMT_MEMORY_BOTH_(int64, i64)
TSR_SMT_MEMORY_BOTH_(uint64, u64)
TSR_SMT_MEMORY_(float32, float, f32, m2)
TSR_SMT_INLINE vint32m2_t tsr_smt_zero_i32m2() {
  return {};
}
TSR_SMT_INLINE vfloat32m2_t tsr_smt_zero_f32m2() {
  return {};
}
TSR_SMT_INLINE vuint16m1_t tsr_smt_zero_u16m1() {
  return {};
}

#undef TSR_SMT_TYPE_
#undef TSR_SMT_INLINE
#undef TSR_SMT_INSN_
#undef TSR_SMT_PRODUCT_
#undef TSR_SMT_INT8_
#undef TSR_SMT_INT4_
#undef TSR_SMT_SIGNS_
#undef TSR_SMT_MEMORY_
#undef TSR_SMT_MEMORY_BOTH_

#endif  // TESSERA_BACKEND_EMU_EMULATED_IME_H_
