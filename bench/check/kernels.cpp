// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/kernels.hpp"

#include <csignal>
#include <map>

extern "C" {
// stored_files.S
extern const char tessera_stored_digests[];
extern const char tessera_stored_digests_end[];
}

namespace board {
namespace {

// Attention and the products of every format take nine tenths of the time.
bool is_quick(const std::string& group) {
  return group == "rows" || group == "norms of heads" || group == "rope" ||
         group == "products of floats";
}

std::map<std::string, std::string> stored_digests() {
  std::map<std::string, std::string> digests;
  const std::string text(tessera_stored_digests, tessera_stored_digests_end);
  for (const auto& fields : fields_of(text))
    if (fields.size() == 2) digests[fields[0]] = fields[1];
  return digests;
}

void note(KernelsResult& r, const std::string& text) {
  if (r.mismatched++ == 0) r.first = text;
}

void add(KernelsResult& r, const std::map<std::string, std::string>& digests,
         const std::string& text) {
  for (const auto& fields : fields_of(text)) {
    if (fields[0] == "refused") {
      r.refused = fields[1];
      continue;
    }
    const auto known = digests.find(fields[0]);
    if (fields.size() == 1) {
      ++r.left_out;
      continue;
    }
    ++r.checked;
    if (known == digests.end()) {
      note(r, fields[0] + ": no digest is stored");
    } else if (known->second != fields[1]) {
      note(r, fields[0] + ": " + fields[1] + " instead of " + known->second);
    }
  }
}

}  // namespace

Item names_item() {
  return [](Progress&) { return compared_backends(); };
}

std::vector<KernelJob> kernel_jobs(const Outcome& names, bool quick) {
  std::vector<KernelJob> jobs;
  for (const auto& fields : fields_of(names.text))
    for (std::size_t group = 0; group < group_count(); ++group)
      if (!quick || (fields[0] != "scalar" && is_quick(group_name(group))))
        jobs.push_back({fields[0], group});
  return jobs;
}

std::vector<Item> kernel_items(const std::vector<KernelJob>& jobs) {
  std::vector<Item> items;
  for (const KernelJob& job : jobs)
    items.push_back([job](Progress& progress) {
      progress.begin(group_name(job.group));
      return run_group(job);
    });
  return items;
}

std::vector<KernelsResult> kernel_results(const std::vector<KernelJob>& jobs,
                                          const std::vector<Outcome>& outcomes, bool matrix,
                                          bool quick) {
  const auto digests = stored_digests();
  std::vector<KernelsResult> results;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (results.empty() || results.back().backend != jobs[i].backend)
      results.push_back({.backend = jobs[i].backend});
    KernelsResult& r = results.back();
    if (outcomes[i].finished) {
      add(r, digests, outcomes[i].text);
    } else if (outcomes[i].signal == SIGILL && !matrix && r.backend.starts_with("ime")) {
      r.refused = "the core has no matrix instructions";
    } else {
      ++r.checked;
      note(r, outcomes[i].step + ": " + killed_by(outcomes[i].signal));
    }
  }
  for (KernelsResult& r : results) {
    if (!r.refused.empty() || r.checked + r.left_out >= digests.size()) continue;
    const std::size_t missing = digests.size() - r.checked - r.left_out;
    if (!quick) note(r, std::to_string(missing) + " stored cases did not run");
    r.left_out += missing;
  }
  return results;
}

}  // namespace board
