// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights of a product: as they lie in memory, packed, or decoded.
#ifndef TESSERA_EXAMPLES_GGML_WEIGHTS_HPP_
#define TESSERA_EXAMPLES_GGML_WEIGHTS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "examples/ggml/interface.hpp"
#include "examples/ggml/work.hpp"
#include "tessera/tessera.h"

namespace tessera_ggml {

/// The library has the type as a storage format.
bool is_format(std::int32_t type);
/// A type of ggml's that the library does not have, but which ggml itself decodes to f32.
bool is_decoded(std::int32_t type);

/// Packed images of tensors in a buffer that holds weights, by their address. Made at first use; a write
/// to the tensor drops them.
class PackedImages {
 public:
  void forget(const void* begin, std::size_t bytes);

 private:
  friend tsr_status packed_weights(const ggml::Tensor&, Work&, tsr_weights*);
  struct Source {
    std::int32_t type;
    std::array<std::int64_t, 4> ne;
    std::array<std::size_t, 4> nb;
    bool operator==(const Source&) const = default;
  };
  struct Image {
    Bytes memory;
    tsr_weights weights;
    Source source;
    std::size_t source_bytes;
  };
  std::mutex mutex_;
  std::map<const void*, Image> images_;
};

/// The images of a buffer of this backend that was declared to hold weights; else null.
PackedImages* images_of(const ggml::Tensor&);

/// For products of any kind: packed where images_of() keeps them, else the rows as they are stored, with the
/// strides of their matrices.
tsr_status weights_of(const ggml::Tensor&, Work&, tsr_weights*, tsr_batches*);
/// Packed in any case: kept by images_of(), else for this operator only. Matrices one behind the other.
tsr_status packed_weights(const ggml::Tensor&, Work&, tsr_weights*);

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_WEIGHTS_HPP_
