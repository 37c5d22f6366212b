#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "check/fiber_launch.h"

namespace kmux::cpu {

/// A flow of control with a stack of its own, which does one task after another.
///
/// It is never unwound: what waits in it when it is destroyed is forgotten, as code of devices has nothing to clean up.
/// Threads: that which made it.
class Fiber {
 public:
  using Task = void (*)(void* argument);
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

  explicit Fiber(std::size_t stack_bytes = kStackBytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// What the fiber does when it is resumed and has nothing left to do.
  void set_task(Task task, void* argument);
  /// Goes on with its task until it waits or is done.
  ///
  /// Errors: throws what the task threw.
  void resume();
  /// Within its task: goes back to who resumed it.
  void wait();
  bool is_done() const;
  std::size_t stack_bytes() const;
  /// The bytes of its stack below `address`, which is on it.
  std::size_t bytes_below(const void* address) const;
  /// Is `address` on its stack?
  bool owns(const void* address) const;

 private:
  class Sanitizer;
  struct Impl;
  Impl* impl_;  // lies on the stack
};

/// Fibers that wait for work. Keeps them from one launch to the next.
class FiberPool {
 public:
  /// Those of the calling thread.
  static FiberPool& of_thread();
  std::unique_ptr<Fiber> take(std::size_t stack_bytes);
  void give_back(std::unique_ptr<Fiber> fiber) { idle_.push_back(std::move(fiber)); }
  /// Frees the idle fibers whose stacks are larger than usual.
  void drop_large();

 private:
  std::vector<std::unique_ptr<Fiber>> idle_;
};

inline constexpr unsigned kWarpLanes = 32;

using Index = std::array<unsigned, 3>;

/// "(1, 0, 0)".
std::string to_string(const Index& index);

/// What a lane asks of its warp.
struct WarpCall {
  enum class Kind : unsigned char { kShuffle, kBallot, kSync };
  Kind kind = Kind::kSync;
  unsigned mask = 0;  // the lanes that take part; 0: those that come to the same place
  int value = 0;  // of a ballot: not 0 if it has the condition
  int lane = 0;  // of a shuffle: whose value it wants
  const void* place = nullptr;  // in the code
  unsigned result = 0;
};

/// The last value of a thread, of those that are followed, that a shuffle took from a lane which did not take part.
struct UndefinedValue {
  bool is_offered = false;  // by the shuffle that follows
  bool is_taken = false;  // by the last one
  bool is_returned = false;  // by the function that has ended
  unsigned lane = 0;  // that it was to come from
  const kmux_cpu_site* site = nullptr;  // of the shuffle
};

/// A thread of the block that runs.
struct Thread {
  enum class State : unsigned char { kReady, kInWarpCall, kAtBarrier, kAtGridBarrier, kEnded };

  unsigned number = 0;  // in the block
  Index index = {};
  State state = State::kReady;
  std::unique_ptr<Fiber> fiber = {};  // once it has begun
  unsigned mask = 0;  // announced for its warp calls
  WarpCall call = {};
  const kmux_cpu_site* site = nullptr;  // of the barrier or the warp call that it is in, where the kernel is checked
  /// How many __syncwarp it has been through, and up to which of theirs it has seen what the other lanes did.
  std::array<std::uint32_t, kWarpLanes> seen = {};
  unsigned polls = 0;
  UndefinedValue undefined = {};

  unsigned lane() const { return number % kWarpLanes; }
};

}  // namespace kmux::cpu
