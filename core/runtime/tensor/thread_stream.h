#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace kmux {

/// Whether `stream` is no address but a name, which may stand for the default stream of the calling thread: another stream in
/// each thread.
///
/// Source: the headers of drivers, which number 1 the default stream of all threads and 2 that of the calling one.
inline bool names_stream_of_thread(const void* stream) {
  constexpr std::uintptr_t kFirst = 2;
  constexpr std::uintptr_t kNames = 16;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle >= kFirst && handle < kNames;
}

/// Whether `stream`, as thread `owner` names it, is another stream than the one that the calling thread names so.
inline bool names_stream_of_another(const void* stream, std::thread::id owner) {
  return names_stream_of_thread(stream) && owner != std::this_thread::get_id();
}

/// Whether all memory of devices has been in the order of one stream so far: then no launch on it needs a record of what it
/// uses. A process that takes a second stream leaves that state for good.
///
/// Threads: any. A thread that has a tensor has seen the stream that it was allocated on added.
class SoleStream {
 public:
  void add(void* stream) noexcept {
    std::uintptr_t seen = stream_.load(std::memory_order_relaxed);
    // The name of a thread's stream is one handle for a stream in each thread, so a launch on an equal handle may be on
    // another stream.
    const std::uintptr_t handle = names_stream_of_thread(stream) ? kSeveral : reinterpret_cast<std::uintptr_t>(stream);
    if (seen == handle || seen == kSeveral) return;
    if (seen == kNone && stream_.compare_exchange_strong(seen, handle, std::memory_order_relaxed)) return;
    if (seen != handle) stream_.store(kSeveral, std::memory_order_relaxed);
  }

  /// Whether a launch on `stream` may use memory that is in the order of another one.
  bool may_differ_from(void* stream) const noexcept {
    const std::uintptr_t seen = stream_.load(std::memory_order_relaxed);
    return seen != reinterpret_cast<std::uintptr_t>(stream) && seen != kNone;
  }

 private:
  // No stream has these for a handle: objects are aligned.
  static constexpr std::uintptr_t kNone = ~std::uintptr_t{0};
  static constexpr std::uintptr_t kSeveral = kNone - 2;
  std::atomic<std::uintptr_t> stream_{kNone};
};

inline constinit SoleStream sole_stream;

}  // namespace kmux
