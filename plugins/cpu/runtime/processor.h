#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace kmux::cpu {

inline std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The processor's own counter, which is read in a few cycles.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return nanoseconds();
#endif
}

/// Tells the processor that this thread only waits.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// While it lives, the calling thread computes as a GPU does: rounded to the nearest, with numbers below the normal ones, without traps.
/// A launch has several threads, each with a mode of its own that its application, or whoever made it, has chosen.
///
/// Source: Intel's manual, volume 1, 10.2.3 (MXCSR); the Arm architecture reference manual (FPCR).
class OwnArithmetic {
 public:
  OwnArithmetic() : before_(mode()) {
    if (differs()) set_mode(kOwn);
  }
  ~OwnArithmetic() {
    if (differs()) set_mode(before_);
  }
  OwnArithmetic(const OwnArithmetic&) = delete;
  OwnArithmetic& operator=(const OwnArithmetic&) = delete;

 private:
#if defined(__x86_64__)
  using Mode = unsigned;
  static constexpr Mode kOwn = 0x1f80;
  static constexpr Mode kFlags = 0x3f;  // what has happened: of no effect on what is computed
  static Mode mode() { return __builtin_ia32_stmxcsr(); }
  static void set_mode(Mode mode) { __builtin_ia32_ldmxcsr(mode); }
#elif defined(__aarch64__)
  using Mode = std::uint64_t;
  static constexpr Mode kOwn = 0;
  static constexpr Mode kFlags = 0;
  static Mode mode() {
    Mode mode;
    asm volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void set_mode(Mode mode) { asm volatile("msr fpcr, %0" ::"r"(mode)); }
#else
  using Mode = unsigned;
  static constexpr Mode kOwn = 0;
  static constexpr Mode kFlags = 0;
  static Mode mode() { return kOwn; }
  static void set_mode(Mode) {}
#endif
  bool differs() const { return (before_ & ~kFlags) != kOwn; }

  const Mode before_;
};

/// How many ticks a microsecond has, at least 1. Measured by the first call, in 60 us.
///
/// Threads: any.
std::uint64_t ticks_per_us();

/// How many processors this process may use, at least 1: those that its main thread may run on (taskset), at most what the
/// quotas of its control groups come to, rounded up (containers). Reads files.
///
/// Threads: any.
unsigned usable_cpus();

/// The quota alone, of the process that `/proc/self/cgroup` is about, with control groups mounted at `root`; 0: there is none.
///
/// Source: cgroups(7); the kernel's admin-guide/cgroup-v2 (cpu.max) and cgroup-v1 (cpu.cfs_quota_us).
unsigned quota_cpus(const char* self_cgroup, const char* root);

/// Lets the calling thread run wherever the main thread may, whichever thread has made it; nothing where a thread has no such choice.
void run_on_usable_cpus();

/// What a thread of the pool begins with: a name, where the system knows one, and `run_on_usable_cpus`.
void begin_worker();

/// Sleeps as long as `word` is `value`, or until somebody wakes; may return earlier.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value);

/// Wakes `threads` of those that sleep on `word`, or all if there are fewer; may wake others, too.
void wake(std::atomic<std::uint32_t>& word, unsigned threads);

/// In a child of fork(), where no thread sleeps.
void forget_sleepers();

}  // namespace kmux::cpu
