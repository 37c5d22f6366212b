#pragma once

#include <optional>
#include <span>
#include <vector>

#include "check/fiber.h"
#include "check/findings.h"
#include "check/memory_check.h"

namespace kmux::cpu {

/// Lets lanes of `warp` go on that are in a call of it, when none of them can run: those of a mask once all that it names are
/// there (or have ended); where none are complete, those that are at the first place in the code without naming a mask, so
/// that lanes which parted meet again behind the branch; else those of an incomplete mask, which is a finding.
/// Returns false if no lane is in such a call.
bool release_lanes(std::span<Thread> warp, Findings* findings);

/// A launch whose threads run one after another, each until it waits or ends. The order is the same each time.
///
/// Threads: that which made it.
class FiberLaunch {
 public:
  /// Lifetime: borrows all.
  FiberLaunch(const kmux_cpu_grid& launch, kmux_cpu_thread body, const void* arguments,
              const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
              std::uint64_t dynamic_bytes);
  /// The launch that this thread of the machine is in.
  static FiberLaunch& current();

  std::uint64_t shared_bytes() const { return memory_.asked_bytes(); }
  /// Runs every block. Errors: launch_failed with the findings.
  Status run();

  // What the running thread asks for.
  Thread& thread() { return *running_; }
  const Index& block() const { return block_; }
  const kmux_cpu_grid& launch() const { return launch_; }
  SharedMemory& memory() { return memory_; }
  MemoryCheck* check() { return check_ ? &*check_ : nullptr; }
  void wait_at_barrier();
  unsigned call_warp(WarpCall call);
  /// Ends the running thread, in a function that goes on calling itself, if little of its stack is left.
  void check_stack(const char* function);
  /// Lets others run now and then: a thread that polls memory waits for one of them.
  void poll();

 private:
  void run_block();
  void begin_threads();
  bool run_ready();
  void resume(Thread& thread);
  bool release_warps();
  bool release_barrier();
  void check_barrier(const Thread& first);

  const kmux_cpu_grid& launch_;
  const kmux_cpu_thread body_;
  const void* const arguments_;
  const kmux_cpu_fiber_kernel& kernel_;
  SharedMemory memory_;
  Findings findings_;
  std::optional<MemoryCheck> check_;
  std::vector<Thread> threads_;
  std::vector<unsigned> order_;
  Thread* running_ = nullptr;
  Index block_ = {};
};

}  // namespace kmux::cpu
