#include "kmux/bench/drift.h"

#include <chrono>
#include <cstdint>
#include <vector>

#include "kmux/interval.h"

namespace kmux::bench {
namespace {

constexpr std::size_t kFewest = 9;
constexpr int kSteps = 20000;  // about 20 us: a chain of multiplications, four cycles each

double median_of(std::span<const double> series) {
  return median_interval(std::vector<double>(series.begin(), series.end())).median;
}

}  // namespace

double drift_of(std::span<const double> series) {
  if (series.size() < kFewest) return 0;
  const std::size_t third = series.size() / 3;
  return median_of(series.last(third)) / median_of(series.first(third)) - 1;
}

double time_reference_loop() {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t value = 1;
  for (int i = 0; i < kSteps; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));  // each step needs the one before
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace kmux::bench
