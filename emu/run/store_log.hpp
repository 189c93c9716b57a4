// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the check plugin writes of one run, and where two runs part.
#ifndef TESSERA_EMU_RUN_STORE_LOG_HPP_
#define TESSERA_EMU_RUN_STORE_LOG_HPP_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run {

/// A store; `size` bytes of `value` are what was compared.
struct Store {
  std::uint64_t number = 0;  ///< of the thread's stores
  std::uint64_t pc = 0;
  std::uint64_t address = 0;
  unsigned size = 0;
  std::uint64_t value = 0;
  std::string symbol;

  bool same_as(const Store& o) const {
    return pc == o.pc && address == o.address && size == o.size && value == o.value;
  }
};

struct Misaligned {
  std::uint64_t pc = 0;
  std::uint64_t address = 0;
  unsigned size = 0;
  std::string direction;  ///< load or store
  std::string symbol;
};

/// The hash of a thread's first `stores` stores.
struct Mark {
  std::uint64_t stores;
  std::string hash;
  bool operator==(const Mark&) const = default;
};

struct ThreadLog {
  std::vector<Mark> marks;
  bool ended = false;  ///< the last mark is the thread's end
};

struct StoreLog {
  std::map<unsigned, ThreadLog> threads;
  std::vector<Store> stores;  ///< of the stretch asked for
  std::vector<Misaligned> misaligned;

  std::uint64_t count() const;
};

StoreLog read_store_log(const std::string& file);

/// Stores [from, to) of a thread.
struct Stretch {
  unsigned thread;
  std::uint64_t from;
  std::uint64_t to;
};

/// Stretches in which the runs differ, or may because one left no hash of them: the first of each
/// thread, in order of threads.
std::vector<Stretch> parting(const StoreLog& a, const StoreLog& b);

/// The first stores of two stretches that differ; one side is missing where a run stored no more.
struct Difference {
  std::optional<Store> a;
  std::optional<Store> b;
};
std::optional<Difference> first_difference(const StoreLog& a, const StoreLog& b);

/// A function's name as people write it.
std::string readable_name(const std::string& symbol);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_STORE_LOG_HPP_
