#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// What the runtime keeps for a host thread. Initial-exec: every call reads it, and the few bytes that glibc keeps for libraries
/// opened later are enough for it.
struct ThreadCalls {
  std::uint32_t lane = 0;  // the thread's plus one; 0 before the first use and after the thread's end
  std::uint32_t launches = 0;  // that it left in the trail
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local ThreadCalls thread_calls;

/// No lane has been as high.
inline constinit std::atomic<std::uint32_t> lanes_used = 0;

/// The last launches of each host thread, so that an error which a device reports later names those that may have made it: a
/// kernel that fails does so after its launch has returned.
///
/// Threads: any. A launch is two stores into memory of its thread's; nothing is allocated, locked or looked up.
class LaunchTrail {
 public:
  /// What launches of a kernel leave. 0: nothing, for kernels of the host, which are over when they return.
  using Mark = std::uintptr_t;
  /// The mark of kernels of that name, which is kept for good: a kernel that is gone has a name, too.
  static Mark mark_of(std::string_view kernel, int device_type);

  /// Notes a launch on device `ordinal` by the calling thread, which has a lane.
  [[gnu::always_inline]] void note(Mark mark, int ordinal, void* stream) noexcept {
    ThreadCalls& thread = thread_calls;
    Launch& launch = threads_[(thread.lane - 1) % kThreads][thread.launches++ % kLaunches];
    std::atomic_ref(launch.mark).store(mark | (static_cast<unsigned>(ordinal) % kOrdinals), std::memory_order_relaxed);
    std::atomic_ref(launch.stream).store(stream, std::memory_order_relaxed);
  }

  /// The calling thread begins to wait for a stream; `end_wait` comes after it.
  void begin_wait(int device_type, int ordinal, void* stream) noexcept;
  /// Forgets the launches on the stream that were there when the wait began, if it was `good`.
  void end_wait(int device_type, int ordinal, void* stream, bool good) noexcept;

  /// The launches on a device that may have failed, by thread, that of the caller first, the latest first: "gather, 3 x scale";
  /// empty if there are none.
  std::string text_of(int device_type, int ordinal);

 private:
  static constexpr std::size_t kLaunches = 16;  // of a thread
  static constexpr std::size_t kThreads = 4096;  // by lane; only what is written takes memory
  static constexpr unsigned kOrdinals = 64;  // which one is in the low bits of a mark
  static constexpr Mark kAwaited = kOrdinals;  // and whether a thread waits for it
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

/// Launches on a device that may have made an error, as a note of it; without any the error is as it was.
Error with_launches(Error error, int device_type, int ordinal);

}  // namespace kmux
