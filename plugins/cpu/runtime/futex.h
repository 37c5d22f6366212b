#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

namespace kmux::cpu {

// linux/futex.h need not be installed where a library is exported. Source: futex(2).
constexpr int kFutexWait = 0 | 128;  // 128: no other process uses the word
constexpr int kFutexWake = 1 | 128;

/// Sleeps as long as `word` is `value`, or until somebody wakes; may return earlier.
inline void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, kFutexWait, value, nullptr, nullptr, 0);
}

/// Wakes at most `threads` that sleep on `word`.
inline void wake(std::atomic<std::uint32_t>& word, unsigned threads) {
  syscall(SYS_futex, &word, kFutexWake, threads, nullptr, nullptr, 0);
}

}  // namespace kmux::cpu
