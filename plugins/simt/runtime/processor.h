#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace kmux::simt {

inline std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns the processor's time-stamp counter; takes a few cycles.
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

/// Hints to the processor that this thread is spinning.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Sets the calling thread's floating-point mode to that of a GPU: round to nearest, denormals kept, no traps. The destructor
/// restores the previous mode. A launch has several threads, each in a mode chosen by its creator or its application.
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
  static constexpr Mode kFlags = 0x3f;  // sticky exception flags: no effect on results
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

/// Returns the number of ticks in a microsecond, at least 1. Measured by the first call, in 60 us.
///
/// Threads: any.
std::uint64_t ticks_per_us();

/// Returns the number of processors that this process may use, at least 1: those in its main thread's affinity
/// (taskset), limited by the quotas of its control groups, rounded up (containers). Reads files.
///
/// Threads: any.
unsigned usable_cpus();

/// Returns the quota alone, of the process described by `/proc/self/cgroup`, with control groups mounted at `root`; 0: no quota.
///
/// Source: cgroups(7); the kernel's admin-guide/cgroup-v2 (cpu.max) and cgroup-v1 (cpu.cfs_quota_us).
unsigned quota_cpus(const char* self_cgroup, const char* root);

/// Gives the calling thread the main thread's affinity, whichever thread created it; does nothing on systems without affinity.
void run_on_usable_cpus();

/// Initializes a thread of the pool: a name, where the system supports one, and `run_on_usable_cpus`.
void begin_worker();

/// Sleeps while `word` is `value`, until woken; may return earlier.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value);

/// Wakes `threads` of the sleepers on `word`, or all if fewer; may wake others, too.
void wake(std::atomic<std::uint32_t>& word, unsigned threads);

/// Resets the sleepers in a child of fork(), where no thread sleeps.
void forget_sleepers();

}  // namespace kmux::simt
