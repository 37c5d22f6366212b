#pragma once

#include <atomic>
#include <cstdint>

namespace kmux::cpu {

/// What the threads of a launch do, each once: take parts until none is left. Must not throw.
using Work = void (*)(void* context);

/// A piece of work that is offered to other threads. One word says whether it is open, how many more threads may enter, and how
/// many are inside; so nobody enters what its owner has closed, and the owner's stack may hold `context`.
///
/// Threads: `open` and `close` are the owner's; any may enter.
class alignas(64) Job {
 public:
  constexpr Job() = default;

  /// Lets `places` threads enter, 1 to 16383.
  void open(Work work, void* context, unsigned places) {
    work_ = work;
    context_ = context;
    state_.store(places * kPlace, std::memory_order_release);
  }

  /// Takes a place. Returns how many are left after it, or -1 if there was none.
  int enter();
  /// The work itself, between `enter` and `leave`.
  void work() const { work_(context_); }
  void leave();

  /// Lets nobody enter any more, and waits until all are out.
  void close();

  /// Forgets everything, in a child of fork(), where no other thread is.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kInside = 0x7FFF;  // threads that are inside
  static constexpr std::uint32_t kOwnerSleeps = 0x8000;
  static constexpr std::uint32_t kPlace = 0x10000;  // one more may enter

  std::atomic<std::uint32_t> state_{0};
  Work work_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace kmux::cpu
