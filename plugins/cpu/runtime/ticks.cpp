#include "runtime/ticks.h"

namespace kmux::cpu {
namespace {

constexpr std::uint64_t kSampleNs = 20000;

std::uint64_t sample_rate() {
  const std::uint64_t from = nanoseconds();
  const std::uint64_t first = ticks();
  std::uint64_t now = from;
  while (now < from + kSampleNs) now = nanoseconds();
  return (ticks() - first) * 1000 / (now - from);
}

std::uint64_t middle(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t low = a < b ? a : b;
  const std::uint64_t high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

std::atomic<std::uint64_t> known_rate{0};

}  // namespace

// One sample is wrong if the thread is taken off its processor between two readings.
std::uint64_t ticks_per_us() {
  std::uint64_t rate = known_rate.load(std::memory_order_relaxed);
  if (rate != 0) return rate;
  rate = middle(sample_rate(), sample_rate(), sample_rate());
  if (rate == 0) rate = 1;
  known_rate.store(rate, std::memory_order_relaxed);
  return rate;
}

}  // namespace kmux::cpu
