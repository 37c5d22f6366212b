// A launch sets the floating-point mode on each of its threads, whatever mode its caller and their creators use.
#include <atomic>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "simt/runtime/launch.h"
#include "simt/runtime/pool.h"
#include "simt/runtime/processor.h"

#if defined(__x86_64__)

namespace kmux::simt {
namespace {

constexpr unsigned kFlags = 0x3f;  // sticky exception flags
constexpr unsigned kOwn = 0x1f80;
constexpr unsigned kOther = kOwn | 0x8040 | 0x6000;  // denormals are zero; round toward zero

/// The observations of a test's kernel.
struct Seen {
  std::atomic<unsigned> blocks{0};
  std::atomic<unsigned> in_another_mode{0};
  std::atomic<unsigned> elsewhere{0};  // on other threads than the caller's
  std::thread::id caller = std::this_thread::get_id();
  bool throws = false;
};

void see_mode(const void* arguments, const kmux_cpu_grid*, std::uint64_t first, std::uint64_t end, char*) {
  Seen& seen = **static_cast<Seen* const*>(arguments);
  if ((__builtin_ia32_stmxcsr() & ~kFlags) != kOwn) ++seen.in_another_mode;
  if (std::this_thread::get_id() != seen.caller) ++seen.elsewhere;
  if (seen.throws) throw std::runtime_error("too warm");
  seen.blocks += static_cast<unsigned>(end - first);
  const std::uint64_t until = nanoseconds() + 20000 * (end - first);
  while (nanoseconds() < until) relax();
}

/// Four threads, on any machine, and a caller in another mode.
class ArithmeticTest : public testing::Test {
 protected:
  ArithmeticTest() {
    pool().limit(4);
    __builtin_ia32_ldmxcsr(kOther);
  }
  ~ArithmeticTest() override {
    __builtin_ia32_ldmxcsr(before_);
    pool().limit(0);
  }

  static int run(unsigned blocks, Seen& seen) {
    kmux_cpu_kernel kernel{see_mode, 0, 0, 5, 0, 0, 0, 0};
    const kmux_cpu_grid grid{{blocks, 1, 1}, {64, 1, 1}, 0, discard(), 0};
    Seen* const argument = &seen;
    return kmux_cpu_run(&grid, &kernel, &argument);
  }

 private:
  const unsigned before_ = __builtin_ia32_stmxcsr();
};

TEST_F(ArithmeticTest, LaunchUsesDefaultModeOnEveryThread) {
  unsigned elsewhere = 0;
  for (unsigned round = 0; round < 1000 && elsewhere == 0; ++round) {  // threads may be late
    for (const unsigned blocks : {1U, 2U, 400U}) {
      Seen seen;
      EXPECT_EQ(run(blocks, seen), KMUX_OK);
      EXPECT_EQ(seen.blocks, blocks);
      EXPECT_EQ(seen.in_another_mode, 0U);
      EXPECT_EQ(__builtin_ia32_stmxcsr() & ~kFlags, kOther);
      elsewhere += seen.elsewhere;
    }
  }
  EXPECT_NE(elsewhere, 0U);
}

TEST_F(ArithmeticTest, RestoresCallerModeWhenBlockThrows) {
  Seen seen;
  seen.throws = true;
  EXPECT_THROW(run(1, seen), std::runtime_error);
  EXPECT_EQ(seen.in_another_mode, 0U);
  EXPECT_EQ(__builtin_ia32_stmxcsr() & ~kFlags, kOther);
}

}  // namespace
}  // namespace kmux::simt

#endif
