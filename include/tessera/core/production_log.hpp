// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Who wrote which buffer, and what it held then.
#ifndef TESSERA_CORE_PRODUCTION_LOG_HPP_
#define TESSERA_CORE_PRODUCTION_LOG_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/views.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The buffer of one output when its operator had run.
struct Production {
  Extent place = {0, 0};
  std::uint64_t hash = 0;
  std::size_t by = 0;       ///< the operator's number
  bool current = false;     ///< false once another output has touched the place
  std::size_t version = 0;  ///< of a constant: the operator that met it, where its name was taken
};

/// The last productions, and the constants for ever. Where there are more, the oldest are forgotten:
/// then nothing is known about a buffer, which is no complaint.
class ProductionLog {
 public:
  /// The current production of exactly this place; null if there is none.
  [[nodiscard]] const Production* find(Extent place) const noexcept {
    for (const Production& p : entries_)
      if (p.current && p.place.begin == place.begin && p.place.end == place.end) return &p;
    return nullptr;
  }
  /// The newest current production of a larger place around this one; null if there is none.
  [[nodiscard]] const Production* find_around(Extent place) const noexcept {
    const Production* newest = nullptr;
    for (const Production& p : entries_)
      if (p.current && p.place.begin <= place.begin && place.end <= p.place.end &&
          (newest == nullptr || p.by > newest->by))
        newest = &p;
    return newest;
  }
  /// An earlier one of this place that had this hash; null if there is none.
  [[nodiscard]] const Production* find_earlier(Extent place, std::uint64_t hash) const noexcept {
    const Production* newest = nullptr;
    for (const Production& p : entries_)
      if (!p.current && p.hash == hash && p.place.begin == place.begin &&
          p.place.end == place.end && (newest == nullptr || p.by > newest->by))
        newest = &p;
    return newest;
  }
  void add(Extent place, std::uint64_t hash, std::size_t by) noexcept {
    forget(place);
    entries_[next_] = {place, hash, by, true};
    next_ = (next_ + 1) % capacity;
  }
  /// Is there room for a constant?
  bool has_room() const noexcept { return constants_ != most_constants; }
  /// What no operator writes, with number 0. False if there was no room.
  bool add_constant(Extent place, std::uint64_t hash, std::size_t version = 0) noexcept {
    if (constants_ == most_constants) return false;
    entries_[capacity + constants_++] = {place, hash, 0, true, version};
    return true;
  }
  /// An operator writes there. Constants are remembered: it must not.
  void forget(Extent place) noexcept {
    for (Production& p : entries_)
      if (p.by != 0 && intersects(p.place, place)) p.current = false;
  }
  /// The place now holds something else, or is no longer memory.
  void forget_all(Extent place) noexcept {
    for (Production& p : entries_)
      if (intersects(p.place, place)) p.current = false;
  }

 private:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::size_t most_constants = 1024;
  Production entries_[capacity + most_constants] = {};
  std::size_t next_ = 0;
  std::size_t constants_ = 0;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_PRODUCTION_LOG_HPP_
