// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One weight matrix, packed for a backend in a storage format.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_MATRIX_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_MATRIX_HPP_

#include <cstddef>
#include <vector>

#include "examples/shared/memory.hpp"
#include "examples/shared/weights.hpp"
#include "tessera/matmul.hpp"

namespace examples {

/// Weights in format F with the layout that backend B reads without rearranging.
template <class B, class F>
class PackedMatrix final : public Weights {
 public:
  using tile = tessera::tile_for<F, B>;

  tessera::Status pack(const tessera::MatrixView<const float>& weights) override {
    rows_ = weights.rows;
    cols_ = weights.cols;
    image_.resize(tessera::packed_size<F, tile>(rows_, cols_));
    return tessera::pack_weights<F, tile>(weights, image_);
  }

  tessera::Status multiply(const tessera::MatrixView<const float>& a,
                           const tessera::MatrixView<float>& c,
                           WorkspaceMemory* memory) const override {
    tessera::MatmulArgs<F, tile> args{a, {image_, rows_, cols_}, c};
    args.workspace = memory->fit(tessera::workspace_size<B>(args));
    return tessera::matmul<B>(args);
  }

  const char* format() const override { return F::name; }

  bool plant() override {
    const std::vector<std::byte> before = stored();
    for (std::size_t i = sizeof(tessera::PackedHeader); i < image_.size(); ++i) {
      image_[i] ^= std::byte{0x80};
      if (changes_code(before, stored())) return true;
      image_[i] ^= std::byte{0x80};
    }
    return false;
  }

 private:
  /// The stored blocks, row after row; the codes where the scale is the row's.
  [[nodiscard]] std::vector<std::byte> stored() const {
    tessera::Status s = tessera::Status::ok;
    std::vector<std::byte> bytes;
    if constexpr (tessera::RowFormat<F>) {
      std::vector<typename F::Code> zero_points(rows_);
      std::vector<float> scales(rows_);
      bytes.resize(rows_ * cols_);
      auto* const codes = reinterpret_cast<typename F::Code*>(bytes.data());
      const tessera::RowOutput<F> out = {codes, scales.data(), zero_points.data(),
                                         static_cast<std::ptrdiff_t>(cols_)};
      s = tessera::unpack_weights<F, tile>(image_, rows_, cols_, out);
    } else {
      const std::size_t row_bytes = (cols_ + F::group - 1) / F::group * F::block_bytes;
      bytes.resize(rows_ * row_bytes);
      s = tessera::unpack_weights<F, tile>(image_, rows_, cols_, bytes.data(), row_bytes);
    }
    if (s != tessera::Status::ok) bytes.clear();
    return bytes;
  }

  /// Is the first byte that differs part of a code, or the high byte of a float other than 0?
  static bool changes_code(const std::vector<std::byte>& before,
                           const std::vector<std::byte>& after) {
    if (before.size() != after.size()) return false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == after[i]) continue;
      const std::size_t in_block = i % F::block_bytes;
      if constexpr (F::is_float)
        return in_block == F::block_bytes - 1 && before[i] != std::byte{0};
      else
        return in_block >= F::block_bytes - F::group * F::code_bits / 8;
    }
    return false;
  }

  AlignedBytes image_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_MATRIX_HPP_
