// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The emu backend's tiles: one instruction on operands that lie in the first cache, as in a kernel.
#include <random>

#include "bench/support/bench.hpp"
#include "tessera/backend/emu/product.hpp"
#include "tessera/isa/ime/all.hpp"

namespace {

using namespace tessera_bench;
namespace ime = tessera::ime;

// Not inlined: an instruction of a program, not a loop that the compiler knows.
template <class Insn, ime::Profile P>
[[gnu::noinline]] void execute(std::int32_t* c, const std::uint8_t* a, const std::uint8_t* b) {
  tessera::detail::emu_product<P>(Insn{}).multiply(c, a, b);
}

template <class Insn, ime::Profile P>
struct Problem {
  static constexpr ime::Tile tile = ime::dot_tile(P, Insn::element);
  static constexpr std::size_t registers = 16;
  static constexpr auto bytes = static_cast<std::size_t>(P.vlen_bytes());
  Buffer<std::uint8_t> a{registers * bytes}, b{registers * bytes};
  Buffer<std::int32_t> c{static_cast<std::size_t>(tile.m * tile.n)}, expected{c.size()};

  Problem() {
    std::mt19937 random(1);
    for (auto* operand : {&a, &b}) {
      for (auto& byte : operand->span()) byte = static_cast<std::uint8_t>(random());
    }
  }
  const std::uint8_t* a_at(std::size_t i) { return a.data() + i % registers * bytes; }
  const std::uint8_t* b_at(std::size_t i) { return b.data() + i / 2 % registers * bytes; }

  void check(const std::string& name) {
    for (std::size_t i = 0; i < 2 * registers; ++i) {
      execute<Insn, P>(c.data(), a_at(i), b_at(i));
      ime::exec_tile<Insn, P>(expected.data(), a_at(i), b_at(i));
    }
    require(std::memcmp(c.data(), expected.data(), 4 * c.size()) == 0, name,
            "the bits differ from the definition's");
  }
};

template <class Insn, ime::Profile P>
void add(const std::string& core) {
  constexpr ime::Tile tile = ime::dot_tile(P, Insn::element);
  const std::string name = "emu_tile/" + core + "/" + Insn::mnemonic + "/" +
                           std::to_string(tile.m) + "x" + std::to_string(tile.n) + "x" +
                           std::to_string(tile.k);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Problem<Insn, P> p;
    p.check(name);
    std::size_t i = 0;
    repeat(state, [&] {
      execute<Insn, P>(p.c.data(), p.a_at(i), p.b_at(i));
      ++i;
    });
    const auto macs = static_cast<double>(tile.m * tile.n * tile.k);
    state.counters["macs"] =
        counted() ? benchmark::Counter(macs)
                  : benchmark::Counter(macs * static_cast<double>(state.iterations()),
                                       benchmark::Counter::kIsRate);
  });
}

template <ime::Element E, ime::Profile P>
void add_signednesses(const std::string& core) {
  add<ime::Vmadot<E>, P>(core);
  add<ime::Vmadotu<E>, P>(core);
  add<ime::Vmadotsu<E>, P>(core);
  add<ime::Vmadotus<E>, P>(core);
}

}  // namespace

void register_benches() {
  add_signednesses<ime::Element::int8, ime::k1>("k1");
  add_signednesses<ime::Element::int8, ime::k3>("k3");
  add_signednesses<ime::Element::int4, ime::k3>("k3");
}
