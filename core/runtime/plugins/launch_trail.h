#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// The state of a host thread in the runtime. Initial-exec: every call reads it, and it fits in the few bytes that
/// glibc reserves for libraries opened later.
struct ThreadCalls {
  std::uint32_t lane = 0;  // the thread's lane plus one; 0 before the first use and after the thread's end
  std::uint32_t launches = 0;  // launches that it noted in the trail
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local ThreadCalls thread_calls;

/// Exclusive upper bound of all lanes used so far.
inline constinit std::atomic<std::uint32_t> lanes_used = 0;

/// The last launches of each host thread, so that an error which a device reports late names the possible causes. A
/// kernel can fail after its launch has returned.
///
/// Threads: any. A launch costs two stores into memory of its thread, without allocation, lock or look-up.
class LaunchTrail {
 public:
  /// Identifies the kernel of a launch. 0: not noted, for host kernels, which complete before they return.
  using Mark = std::uintptr_t;
  /// Returns the mark of kernels of that name. It stays valid forever, since a destroyed kernel may still be named.
  static Mark mark_of(std::string_view kernel, int device_type);

  /// Notes a launch on device `ordinal` by the calling thread, which must have a lane.
  [[gnu::always_inline]] void note(Mark mark, int ordinal, void* stream) noexcept {
    ThreadCalls& thread = thread_calls;
    Launch& launch = threads_[(thread.lane - 1) % kThreads][thread.launches++ % kLaunches];
    std::atomic_ref(launch.mark).store(mark | (static_cast<unsigned>(ordinal) % kOrdinals), std::memory_order_relaxed);
    std::atomic_ref(launch.stream).store(stream, std::memory_order_relaxed);
  }

  /// Notes that the calling thread starts waiting for a stream; `end_wait` must follow.
  void begin_wait(int device_type, int ordinal, void* stream) noexcept;
  /// Discards the launches that were on the stream when the wait began, if the wait was `good`.
  void end_wait(int device_type, int ordinal, void* stream, bool good) noexcept;

  /// Returns the launches on a device that may have failed, by thread, the caller's first, latest first. Empty if none.
  /// Example: "gather, 3 x scale".
  std::string text_of(int device_type, int ordinal);

 private:
  static constexpr std::size_t kLaunches = 16;  // per thread
  static constexpr std::size_t kThreads = 4096;  // by lane; only pages written to take memory
  static constexpr unsigned kOrdinals = 64;  // the ordinal is in the low bits of a mark
  static constexpr Mark kAwaited = kOrdinals;  // bit: a thread waits for the launch
  static constexpr Mark kBits = 2 * kOrdinals - 1;
  struct alignas(2 * kOrdinals) Name {
    std::string kernel;
    int device_type;
  };
  struct Launch {
    Mark mark;  // 0: none
    void* stream;
  };
  using Thread = std::array<Launch, kLaunches>;

  static bool is_on(Mark mark, int device_type, int ordinal);
  template <class Change>
  void change_on(int device_type, int ordinal, const void* stream, const Change& change) noexcept;
  std::string text_of(Thread& thread, std::size_t next, int device_type, int ordinal);

  alignas(64) std::array<Thread, kThreads> threads_{};
};
extern constinit LaunchTrail launch_trail;

/// Returns `error` with a note of the launches on a device that may have caused it; unchanged if none.
Error with_launches(Error error, int device_type, int ordinal);

}  // namespace kmux
