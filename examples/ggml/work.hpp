// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What an evaluation brings to the kernels: memory and threads.
#ifndef TESSERA_EXAMPLES_GGML_WORK_HPP_
#define TESSERA_EXAMPLES_GGML_WORK_HPP_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/tessera.h"

namespace tessera_ggml {

/// Memory aligned to 64 bytes, which kernels want of images and workspaces.
struct FreeAligned {
  void operator()(std::byte* p) const noexcept;
};
using Bytes = std::unique_ptr<std::byte[], FreeAligned>;
/// Null where there is no memory.
Bytes allocate(std::size_t bytes);

/// One per backend object: ggml evaluates one graph at a time on it.
class Work {
 public:
  Work();
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void set_threads(std::size_t count);
  [[nodiscard]] std::size_t threads() const { return threads_; }

  /// Memory that lasts until the operator has ended; null where there is none.
  std::byte* take(std::size_t bytes);
  template <class T>
  T* take_array(std::size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T)));
  }
  void end_operator();

  /// step(thread, begin, end) over [0, count) in pieces, each on one of the threads.
  void share(std::size_t count,
             const std::function<void(std::size_t, std::size_t, std::size_t)>& step);

 private:
  class Pool;
  struct Piece {
    Bytes memory;
    std::size_t size;
    bool taken;
  };
  std::vector<Piece> pieces_;
  std::size_t threads_;
  std::unique_ptr<Pool> pool_;
};

/// A kernel of the C interface: its phases one after the other, their units shared out over the threads.
template <class Args>
tsr_status run(Work& work, const Args& args, tsr_status (*plan_of)(const Args*, tsr_plan*),
               tsr_status (*run_units)(const Args*, std::size_t, std::size_t, std::size_t)) {
  tsr_plan plan{};
  if (const tsr_status s = plan_of(&args, &plan); s != TSR_OK) return s;
  std::vector<Args> of_thread(work.threads(), args);
  if constexpr (requires { args.workspace; }) {
    std::byte* const shared = work.take(plan.shared);
    for (Args& each : of_thread)
      each.workspace = {shared, plan.shared, work.take(plan.scratch), plan.scratch};
  }
  std::vector<tsr_status> status(work.threads(), TSR_OK);
  for (std::size_t phase = 0; phase < plan.phases; ++phase) {
    work.share(plan.units[phase], [&](std::size_t thread, std::size_t begin, std::size_t end) {
      const tsr_status s = run_units(&of_thread[thread], phase, begin, end);
      if (s != TSR_OK) status[thread] = s;
    });
    for (const tsr_status s : status)
      if (s != TSR_OK) return s;
  }
  // A plan of refused shapes is empty: say why.
  if (plan.phases == 0 || plan.units[0] == 0) return run_units(&of_thread[0], 0, 0, 0);
  return TSR_OK;
}
/// run() of the kernel NAME.
#define TESSERA_GGML_RUN(work, name, args) \
  ::tessera_ggml::run(work, args, tsr_##name##_plan, tsr_##name##_run)

}  // namespace tessera_ggml

#endif  // TESSERA_EXAMPLES_GGML_WORK_HPP_
