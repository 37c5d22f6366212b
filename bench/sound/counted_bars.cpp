#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/process.h"

#include "bars/bar.h"

namespace kmux::bench {
namespace {

constexpr std::chrono::minutes kMost{5};

std::size_t count_of(std::string_view needle, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(needle); at != text.npos; at = text.find(needle, at + 1)) ++count;
  return count;
}

/// Returns how often `failure` occurs in the output of the tests; at least one if they fail or do not end.
double failures_of(std::vector<std::string> words, std::string_view failure) {
  words.front().insert(0, KMUX_BENCH_TESTS "/");
  const Result<ProcessResult> ran = run({.argv = std::move(words), .timeout = kMost});
  if (ran && ran->exit_code == 0) return 0;
  const std::string text = ran ? ran->standard_output : ran.error().explain();
  std::fputs(text.c_str(), stderr);
  return static_cast<double>(std::max<std::size_t>(1, count_of(failure, text)));
}

double exceptions_escaped() { return failures_of({"escape_tests"}, " at allocation "); }

/// Counts the failed cases by their unique ending: the list at the end of a program has no times.
double cases_failed(const std::string& program, const std::string& file) {
  return failures_of({program, "--file=" + file, "--gtest_brief=1"}, " ms)\n");
}

double stuck_callbacks() { return cases_failed("integration_tests", "jit_par_compile_test.cpp"); }

double new_kinds_failed() {
  return cases_failed("integration_tests", "cli_new_test.cpp") +
         cases_failed("kmux_cpu_test", "device_host_code_test.cpp");
}

/// Exceptions that leave public functions with a Result, as each allocation fails and folders are refused.
BAR("exceptions_escaped", "exceptions", at_most(0), exceptions_escaped);

/// Callbacks and functions of a batch that wait for ever for a kernel of it, or fail otherwise.
BAR("stuck_callbacks", "callbacks", at_most(0), stuck_callbacks);

/// Cases of `kmux new` over sources as others publish them, and of what device code names of a host and of CUDA's libraries.
BAR("new_kinds_failed", "cases", at_most(0), new_kinds_failed);

}  // namespace
}  // namespace kmux::bench
