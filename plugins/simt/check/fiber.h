#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simt/check/clocks.h"
#include "simt/check/fiber_launch.h"

namespace kmux::simt {

/// A flow of control with its own stack, which runs one task after another.
///
/// The stack is never unwound: frames that wait when the fiber is destroyed are dropped, as device code has nothing to
/// clean up.
/// Threads: the one that created it.
class Fiber {
 public:
  using Task = void (*)(void* argument);
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

  explicit Fiber(std::size_t stack_bytes = kStackBytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the task that resume() begins once the fiber has none left.
  void set_task(Task task, void* argument);
  /// Runs the task until it waits or is done.
  ///
  /// Errors: throws what the task threw.
  void resume();
  /// Returns from within the task to the caller of resume().
  void wait();
  bool is_done() const;
  std::size_t stack_bytes() const;
  /// Returns the bytes of the stack below `address`, which must be on it.
  std::size_t bytes_below(const void* address) const;
  /// Returns true if `address` is on the fiber's stack.
  bool owns(const void* address) const;

 private:
  class Sanitizer;
  struct Impl;
  Impl* impl_;  // lies on the stack
};

/// Idle fibers, kept from one launch to the next.
class FiberPool {
 public:
  /// Returns the pool of the calling thread.
  static FiberPool& of_thread();
  std::unique_ptr<Fiber> take(std::size_t stack_bytes);
  void give_back(std::unique_ptr<Fiber> fiber) { idle_.push_back(std::move(fiber)); }
  /// Frees the idle fibers whose stacks are larger than usual.
  void drop_large();

 private:
  std::vector<std::unique_ptr<Fiber>> idle_;
};

inline constexpr unsigned kWarpLanes = kClockLanes;
inline constexpr unsigned kGroupWarps = 4;  // of those that execute a wgmma together

using Index = std::array<unsigned, 3>;

/// Returns "(1, 0, 0)".
std::string to_string(const Index& index);

struct Thread;

/// A call of a lane to its warp.
struct WarpCall {
  enum class Kind : unsigned char { kShuffle, kBallot, kSync, kTogether };
  /// Does the work of a kTogether call once for all participating lanes, which wait for it, in order of their numbers.
  using Work = void (*)(std::span<Thread* const> lanes);
  Kind kind = Kind::kSync;
  unsigned mask = 0;  // participating lanes; 0: those that reach the same place
  int value = 0;  // of a ballot: not 0 if the lane has the condition
  int lane = 0;  // of a shuffle: the lane to read from
  const void* place = nullptr;  // of the call in the code
  unsigned result = 0;
  Work work = nullptr;  // of a kTogether call
  void* data = nullptr;  // of a kTogether call: the lane's own operands
};

/// The event that a thread waits for: `*word` differs from `unlike` in a bit of `mask`.
struct Wait {
  enum class Kind : unsigned char { kMbarrier, kNamedBarrier, kCluster, kProducts };
  Kind kind = Kind::kMbarrier;
  bool may_give_up = false;  // true if the thread also goes on, with false, when nothing else can run
  const std::uint64_t* word = nullptr;
  std::uint64_t mask = 0;
  std::uint64_t unlike = 0;

  bool is_over() const { return ((*word ^ unlike) & mask) != 0; }
};

/// The last tracked value of a thread that a shuffle took from a lane that did not participate.
struct UndefinedValue {
  bool is_offered = false;  // true if the next shuffle offers it to other lanes
  bool is_taken = false;  // true if the last shuffle took one
  bool is_returned = false;  // true if the function that ended returned one
  unsigned lane = 0;  // from which it should have come
  const kmux_cpu_site* site = nullptr;  // of the shuffle
};

/// A thread of the running block.
struct Thread {
  enum class State : unsigned char { kReady, kInWarpCall, kAtBarrier, kAtGridBarrier, kWaiting, kEnded };

  unsigned number = 0;  // in the block
  Index index = {};
  State state = State::kReady;
  std::unique_ptr<Fiber> fiber = {};  // null before it begins and after it ends
  unsigned mask = 0;  // participants that it has set for its warp calls
  WarpCall call = {};
  const kmux_cpu_site* site = nullptr;  // of its current barrier or warp call, if the kernel is checked
  std::unique_ptr<ThreadClock> clock = {};  // null if the kernel is not checked
  unsigned polls = 0;
  bool only_polls = false;  // true if it has yielded because it polls memory
  Wait wait = {};  // if it is kWaiting
  bool has_given_up = false;  // true if its last wait ended so
  bool has_arrived = false;  // at the barrier of its cluster, in `cluster_generation`
  std::uint64_t cluster_generation = 0;
  UndefinedValue undefined = {};

  bool is_runnable() const { return state == State::kReady || (state == State::kWaiting && wait.is_over()); }

  unsigned lane() const { return number % kWarpLanes; }
  unsigned warp_of_group() const { return number / kWarpLanes % kGroupWarps; }
  unsigned group() const { return number / kWarpLanes / kGroupWarps; }
};

}  // namespace kmux::simt
