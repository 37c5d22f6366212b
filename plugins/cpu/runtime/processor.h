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
