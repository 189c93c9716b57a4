// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/work.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace tessera_ggml {

void FreeAligned::operator()(std::byte* p) const noexcept {
  std::free(p);
}
Bytes allocate(std::size_t bytes) {
  return Bytes(static_cast<std::byte*>(std::aligned_alloc(64, (bytes / 64 + 1) * 64)));
}

/// Threads that wait for a step of which each takes pieces until none is left.
class Work::Pool {
 public:
  using Step = std::function<void(std::size_t, std::size_t, std::size_t)>;

  explicit Pool(std::size_t helpers) {
    for (std::size_t i = 0; i < helpers; ++i) threads_.emplace_back([this, i] { serve(i + 1); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    begin_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void run(std::size_t count, const Step& step) {
    {
      const std::lock_guard lock(mutex_);
      step_ = &step;
      next_ = 0;
      count_ = count;
      piece_ = std::max<std::size_t>(1, count / (8 * (threads_.size() + 1)));
      busy_ = threads_.size();
      ++round_;
    }
    begin_.notify_all();
    take_pieces(0);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void take_pieces(std::size_t thread) {
    while (true) {
      std::size_t begin = 0, end = 0;
      {
        const std::lock_guard lock(mutex_);
        begin = next_;
        end = next_ = std::min(count_, next_ + piece_);
      }
      if (begin == end) return;
      (*step_)(thread, begin, end);
    }
  }
  void serve(std::size_t thread) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      begin_.wait(lock, [&] { return ended_ || round_ != seen; });
      if (ended_) return;
      seen = round_;
      lock.unlock();
      take_pieces(thread);
      lock.lock();
      if (--busy_ == 0) end_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Step* step_ = nullptr;
  std::size_t next_ = 0, count_ = 0, piece_ = 1, busy_ = 0, round_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

Work::Work() : threads_(std::max(1u, std::thread::hardware_concurrency())) {}
Work::~Work() = default;

void Work::set_threads(std::size_t count) {
  threads_ = std::max<std::size_t>(1, count);
  pool_.reset();
}

std::byte* Work::take(std::size_t bytes) {
  Piece* best = nullptr;
  Piece* smaller =
      nullptr;  // gives way to a larger one, so that there are never more than one operator takes
  for (Piece& p : pieces_) {
    if (p.taken) continue;
    if (p.size < bytes) {
      smaller = &p;
    } else if (best == nullptr || p.size < best->size) {
      best = &p;
    }
  }
  if (best == nullptr) {
    Bytes memory = allocate(bytes);
    if (memory == nullptr) return nullptr;
    best = smaller != nullptr ? smaller : &pieces_.emplace_back();
    *best = {std::move(memory), bytes, false};
  }
  best->taken = true;
  return best->memory.get();
}

void Work::end_operator() {
  // Small pieces serve the next operator, large ones go back.
  std::erase_if(pieces_, [](const Piece& p) { return p.size > (std::size_t{1} << 24); });
  for (Piece& p : pieces_) p.taken = false;
}

void Work::share(std::size_t count,
                 const std::function<void(std::size_t, std::size_t, std::size_t)>& step) {
  if (threads_ == 1 || count < 2) {
    if (count != 0) step(0, 0, count);
    return;
  }
  if (pool_ == nullptr) pool_ = std::make_unique<Pool>(threads_ - 1);
  pool_->run(count, step);
}

}  // namespace tessera_ggml
