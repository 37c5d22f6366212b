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

/// How often `failure` stands in what the tests print; one at least where they fail or do not end.
double failures_of(std::vector<std::string> words, std::string_view failure) {
  words.front().insert(0, KMUX_BENCH_TESTS "/");
  const Result<ProcessResult> ran = run({.argv = std::move(words), .timeout = kMost});
  if (ran && ran->exit_code == 0) return 0;
  const std::string text = ran ? ran->standard_output : ran.error().explain();
  std::fputs(text.c_str(), stderr);
  return static_cast<double>(std::max<std::size_t>(1, count_of(failure, text)));
}

double exceptions_escaped() { return failures_of({"escape_tests"}, " at allocation "); }

double stuck_callbacks() {
  return failures_of({"integration_tests", "--file=jit_par_compile_test.cpp"}, "[  FAILED  ] JitParCompile.");
}

/// Exceptions that leave public functions with a Result, as each allocation fails and folders are refused.
BAR("exceptions_escaped", "exceptions", at_most(0), exceptions_escaped);

/// Callbacks and functions of a batch that wait for ever for a kernel of it, or fail otherwise.
BAR("stuck_callbacks", "callbacks", at_most(0), stuck_callbacks);

}  // namespace
}  // namespace kmux::bench
