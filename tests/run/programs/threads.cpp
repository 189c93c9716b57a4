// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// threads [VMADOTS]: 8 threads at once, each so many matrix instructions (default 100,000) on
// registers of its own.
#include "tests/run/programs/rows.hpp"

#include <pthread.h>
#include <cstdlib>

namespace {

constexpr int thread_count = 8;
long rows = 100000 / run_tests::instructions_per_row;
pthread_barrier_t start;

void* work(void* argument) {
  auto* own = static_cast<run_tests::Rows*>(argument);
  pthread_barrier_wait(&start);
  own->run(rows);
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) rows = std::atol(words[1]) / run_tests::instructions_per_row;
  static run_tests::Rows own[thread_count] = {
      run_tests::Rows(1), run_tests::Rows(2), run_tests::Rows(3), run_tests::Rows(4),
      run_tests::Rows(5), run_tests::Rows(6), run_tests::Rows(7), run_tests::Rows(8)};
  pthread_t threads[thread_count];
  pthread_barrier_init(&start, nullptr, thread_count);
  for (int i = 0; i < thread_count; ++i) {
    if (pthread_create(&threads[i], nullptr, work, &own[i]) != 0) return 2;
  }
  bool right = true;
  for (int i = 0; i < thread_count; ++i) {
    pthread_join(threads[i], nullptr);
    right = own[i].right() && right;
  }
  return run_tests::verdict("threads", right);
}
