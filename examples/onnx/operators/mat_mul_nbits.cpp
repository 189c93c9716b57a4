// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// MatMulNBits: a f32 [..., K], codes u8 [N, blocks, block / 2], scales f32 [N * blocks], zero points u8 (two a byte;
// optional), -, bias f32 [N] (optional). Weights of four bits, packed once where they are constant.
#include <stdexcept>

#include "examples/onnx/operator.hpp"
#include "tessera/matmul.hpp"

namespace tessera_onnx {
namespace {

/// The arrays as the node has them.
struct Arrays {
  Tensor codes, scales;
  std::optional<Tensor> zero_points;
};

/// Packed weights of one of the library's formats.
class Weights {
 public:
  virtual ~Weights() = default;
  virtual void multiply(const Call& call, const float* a, std::size_t m, const float* bias,
                        float* c) const = 0;
};

template <class F>
class WeightsOf final : public Weights {
  using Tile = tessera::tile_for<F>;

 public:
  WeightsOf(const Arrays& arrays, std::size_t n, std::size_t k)
      : n_(n), k_(k), image_(tessera::packed_size<F, Tile>(n, k)) {
    const tessera::NBitsView<F> view{
        arrays.codes.as<const std::uint8_t>(), arrays.scales.as<const float>(),
        arrays.zero_points ? arrays.zero_points->as<const std::uint8_t>() : nullptr, n, k};
    check(tessera::pack_weights<F, Tile>(view, image_.span()));
  }

  void multiply(const Call& call, const float* a, std::size_t m, const float* bias,
                float* c) const override {
    tessera::MatmulArgs<F, Tile> args{
        tessera::matrix(a, m, k_), {image_.span(), n_, k_}, tessera::matrix(c, m, n_)};
    if (bias == nullptr)
      run(call, args, tessera::epilogue::Identity{});
    else
      run(call, args, tessera::epilogue::Bias{bias});
  }

 private:
  template <class E>
  static void run(const Call& call, const tessera::MatmulArgs<F, Tile>& args, const E& epilogue) {
    const std::size_t parts = parts_of(tessera::units(args, tessera::phases(args) - 1));
    const PartedWorkspace workspace(tessera::workspace_size(args), parts);
    for (std::size_t phase = 0; phase < tessera::phases(args); ++phase)
      call.share(parts, [&](std::size_t part) {
        auto own = args;
        own.workspace = workspace.of(part);
        const auto range = tessera::Slice{part, parts}.of(tessera::units(args, phase));
        return tessera::matmul_phase(own, phase, range, epilogue);
      });
  }

  std::size_t n_, k_;
  AlignedBytes image_;
};

template <std::size_t Elements>
std::unique_ptr<Weights> pack_blocks(const Arrays& arrays, std::size_t n, std::size_t k) {
  using tessera::format::nbits;
  if (arrays.zero_points)
    return std::make_unique<WeightsOf<nbits<Elements, float, true>>>(arrays, n, k);
  return std::make_unique<WeightsOf<nbits<Elements, float, false>>>(arrays, n, k);
}

class MatMulNBits final : public Kernel {
 public:
  explicit MatMulNBits(const Node& node)
      : n_(static_cast<std::size_t>(node.integer("N", 0))),
        k_(static_cast<std::size_t>(node.integer("K", 0))),
        block_(static_cast<std::size_t>(node.integer("block_size", 0))) {
    require(node.integer("bits", 4) == 4, "weights of four bits are supported");
    require(block_ >= 16, "block_size is 16, 32, 64, 128 or 256");
    const auto codes = node.constant(1), scales = node.constant(2);
    if (codes && scales) weights_ = pack({*codes, *scales, node.constant(3)});
  }

  void compute(const Call& call) const override {
    require(!call.optional_input(4), "g_idx is not supported");
    const Tensor a = call.input(0);
    const auto bias = call.optional_input(5);
    require(!a.shape.empty() && a.size(a.shape.size() - 1) == k_,
            "the rows of A do not have K elements");
    require(!bias || bias->has_shape({n_}), "the bias does not have N elements");
    auto shape = a.shape;
    shape.back() = static_cast<std::int64_t>(n_);
    const Tensor c = call.output(0, shape);
    if (a.count() == 0) return;
    std::unique_ptr<Weights> packed;
    if (!weights_) packed = pack({call.input(1), call.input(2), call.optional_input(3)});
    (weights_ ? *weights_ : *packed)
        .multiply(call, a.as<const float>(), a.count() / k_,
                  bias ? bias->as<const float>() : nullptr, c.as<float>());
  }

 private:
  [[nodiscard]] std::unique_ptr<Weights> pack(const Arrays& arrays) const {
    const std::size_t blocks = tessera::internal::div_up(k_, block_);
    require(arrays.codes.count() == n_ * blocks * block_ / 2, "B has another size");
    require(arrays.scales.count() == n_ * blocks, "scales have another size");
    require(!arrays.zero_points || arrays.zero_points->count() == n_ * ((blocks + 1) / 2),
            "zero_points have another size: two are a byte");
    switch (block_) {
      case 16:
        return pack_blocks<16>(arrays, n_, k_);
      case 32:
        return pack_blocks<32>(arrays, n_, k_);
      case 64:
        return pack_blocks<64>(arrays, n_, k_);
      case 128:
        return pack_blocks<128>(arrays, n_, k_);
      case 256:
        return pack_blocks<256>(arrays, n_, k_);
      default:
        throw std::invalid_argument("block_size is 16, 32, 64, 128 or 256");
    }
  }

  std::size_t n_, k_, block_;
  std::unique_ptr<Weights> weights_;
};

}  // namespace

const OrtCustomOp& mat_mul_nbits() {
  constexpr auto f32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  constexpr auto u8 = ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
  constexpr auto i32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  static const Operator op("MatMulNBits",
                           {{f32}, {u8}, {f32}, {u8, true}, {i32, true}, {f32, true}}, {{f32}},
                           [](const Node& node) -> std::unique_ptr<Kernel> {
                             return std::make_unique<MatMulNBits>(node);
                           });
  return op;
}

}  // namespace tessera_onnx
