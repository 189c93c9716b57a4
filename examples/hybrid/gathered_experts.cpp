// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/gathered_experts.hpp"

#include <algorithm>

namespace hybrid {

tessera::Status GatheredExperts::pack(const tessera::MatrixView<const float>& weights,
                                      std::size_t experts) {
  const std::size_t rows = weights.rows / experts;
  for (std::size_t e = 0; e < experts; ++e) {
    matrices_.push_back(make_());
    const auto one = tessera::matrix(weights.row(e * rows), rows, weights.cols);
    if (const tessera::Status s = matrices_.back()->pack(one); s != tessera::Status::ok) return s;
  }
  return tessera::Status::ok;
}

tessera::Status GatheredExperts::multiply(const tessera::SlotView<const float>& a,
                                          const tessera::SlotView<const std::int32_t>& ids,
                                          const tessera::SlotView<float>& c,
                                          examples::WorkspaceMemory* memory) const {
  std::vector<float> in, out;
  for (std::size_t e = 0; e < matrices_.size(); ++e) {
    const auto for_each_slot = [&](auto&& body) {
      for (std::size_t t = 0; t < ids.tokens; ++t)
        for (std::size_t s = 0; s < ids.slots; ++s)
          if (static_cast<std::size_t>(*ids.row(t, s)) == e) body(t, s);
    };
    in.clear();
    for_each_slot([&](std::size_t t, std::size_t s) {
      const float* row = a.row(t, s % a.slots);
      in.insert(in.end(), row, row + a.cols);
    });
    const std::size_t rows = in.size() / a.cols;
    if (rows == 0) continue;
    out.resize(rows * c.cols);
    const tessera::MatrixView<const float> gathered = tessera::matrix(in.data(), rows, a.cols);
    if (const tessera::Status s =
            matrices_[e]->multiply(gathered, tessera::matrix(out.data(), rows, c.cols), memory);
        s != tessera::Status::ok)
      return s;
    const float* next = out.data();
    for_each_slot([&](std::size_t t, std::size_t s) {
      std::copy_n(next, c.cols, c.row(t, s));
      next += c.cols;
    });
  }
  return tessera::Status::ok;
}

}  // namespace hybrid
