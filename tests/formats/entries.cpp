// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tests/formats/entries.hpp"

#include <cstring>

#include "tessera/formats/all.hpp"

namespace tessera_test {
namespace {

template <class F>
typename F::Block loaded(const std::byte* bytes) {
  typename F::Block b;
  std::memcpy(&b, bytes, sizeof b);
  return b;
}

template <class F>
BlockEntry entry() {
  BlockEntry e = {};
  e.name = F::name;
  e.id = static_cast<std::uint32_t>(F::id);
  e.group = F::group;
  e.scale_group = F::scale_group;
  e.block_bytes = F::block_bytes;
  e.header_bytes = F::header_bytes;
  e.code_bits = F::code_bits;
  e.has_minima = F::has_minima;
  e.code_offset = F::code_offset;
  e.quantize = [](const float* x, std::byte* block) {
    typename F::Block b;
    F::quantize_block(x, b);
    std::memcpy(block, &b, sizeof b);
  };
  e.dequantize = [](const std::byte* block, float* x) { F::dequantize_block(loaded<F>(block), x); };
  e.split = [](const std::byte* block, std::uint8_t* codes, std::uint8_t* header) {
    F::split(loaded<F>(block), codes, header);
  };
  e.join = [](const std::uint8_t* codes, const std::uint8_t* header, std::byte* block) {
    typename F::Block b;
    F::join(codes, header, b);
    std::memcpy(block, &b, sizeof b);
  };
  e.level = [](unsigned code) { return F::level(code); };
  e.scales = [](const std::uint8_t* header, float* scale, float* minus_min) {
    F::scales(header, scale, minus_min);
  };
  return e;
}

}  // namespace

const std::vector<BlockEntry>& block_entries() {
  static const std::vector<BlockEntry> all = [] {
    std::vector<BlockEntry> entries;
    tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
      if constexpr (!F::is_float) entries.push_back(entry<F>());
    });
    tessera::nbits_formats::for_each(
        [&]<class F>(tessera::Type<F>) { entries.push_back(entry<F>()); });
    return entries;
  }();
  return all;
}

}  // namespace tessera_test
