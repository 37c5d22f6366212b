#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace kmux {

/// Repeats the selected cases, once for each seed and all in one process. Each repetition has its seed in
/// KMUX_FAKE_CUDA_SEED, which the fake driver reads whenever a case opens or resets it.
///
/// Writes "seed N" to stderr before a repetition, and "seed N failed" after one in which a case failed or none was
/// selected. tests/stream_order/seeds.py reads it.
class SeededRuns final : public testing::EmptyTestEventListener {
 public:
  /// Parses `FIRST:COUNT`; returns nothing for an invalid text.
  static std::optional<SeededRuns> parse(const std::string& text) {
    unsigned long long first = 0;
    unsigned count = 0;
    int end = 0;
    const bool whole = std::sscanf(text.c_str(), "%llu:%u%n", &first, &count, &end) == 2;
    if (!whole || end != static_cast<int>(text.size()) || count == 0) return std::nullopt;
    return SeededRuns(first, count);
  }

  /// Installs the repetitions into RUN_ALL_TESTS.
  void install() const {
    GTEST_FLAG_SET(repeat, static_cast<int>(count_));
    testing::UnitTest::GetInstance()->listeners().Append(new SeededRuns(*this));
  }

  void OnTestIterationStart(const testing::UnitTest&, int iteration) override {
    seed_ = first_ + static_cast<std::uint64_t>(iteration);
    setenv("KMUX_FAKE_CUDA_SEED", std::to_string(seed_).c_str(), /*overwrite=*/1);
    tell("");
  }
  void OnTestIterationEnd(const testing::UnitTest& tests, int) override {
    if (tests.Failed() || tests.test_to_run_count() == 0) tell(" failed");
  }

 private:
  SeededRuns(std::uint64_t first, unsigned count) : first_(first), count_(count) {}

  void tell(const char* what) const {
    std::fflush(stdout);  // failures must precede the line that names their seed
    std::fprintf(stderr, "seed %llu%s\n", static_cast<unsigned long long>(seed_), what);
  }

  std::uint64_t first_;
  unsigned count_;
  std::uint64_t seed_ = 0;
};

}  // namespace kmux
