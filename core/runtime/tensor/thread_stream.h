#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace kmux {

/// Returns true if `stream` is not an address but a name that may mean the calling thread's default stream, a separate
/// one in each thread.
///
/// Source: driver headers, where 1 is the default stream of all threads and 2 that of the calling thread.
inline bool names_stream_of_thread(const void* stream) {
  constexpr std::uintptr_t kFirst = 2;
  constexpr std::uintptr_t kNames = 16;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle >= kFirst && handle < kNames;
}

/// Returns true if `stream` names one stream in thread `owner` and another in the calling thread.
inline bool names_stream_of_another(const void* stream, std::thread::id owner) {
  return names_stream_of_thread(stream) && owner != std::this_thread::get_id();
}

/// Tracks whether all device memory so far is in the order of a single stream. Then launches on it need no record of
/// the memory they use. Once a process uses a second stream, it never returns to that state.
///
/// Threads: any. The stream of a tensor is added before any thread has the tensor.
class SoleStream {
 public:
  void add(void* stream) noexcept {
    std::uintptr_t seen = stream_.load(std::memory_order_relaxed);
    // The name of a thread's stream is the same handle in each thread, so a launch on an equal handle may be on another
    // stream.
    const std::uintptr_t handle = names_stream_of_thread(stream) ? kSeveral : reinterpret_cast<std::uintptr_t>(stream);
    if (seen == handle || seen == kSeveral) return;
    if (seen == kNone && stream_.compare_exchange_strong(seen, handle, std::memory_order_relaxed)) return;
    if (seen != handle) stream_.store(kSeveral, std::memory_order_relaxed);
  }

  /// Returns true if a launch on `stream` may use memory in the order of another stream.
  bool may_differ_from(void* stream) const noexcept {
    const std::uintptr_t seen = stream_.load(std::memory_order_relaxed);
    return seen != reinterpret_cast<std::uintptr_t>(stream) && seen != kNone;
  }

 private:
  // Never valid handles, since objects are aligned.
  static constexpr std::uintptr_t kNone = ~std::uintptr_t{0};
  static constexpr std::uintptr_t kSeveral = kNone - 2;
  std::atomic<std::uintptr_t> stream_{kNone};
};

inline constinit SoleStream sole_stream;

}  // namespace kmux
