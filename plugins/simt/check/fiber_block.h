#pragma once

#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "simt/check/fiber.h"
#include "simt/check/findings.h"
#include "simt/check/memory_check.h"
#include "simt/runtime/interruption.h"

namespace kmux::simt {

/// Resumes lanes of `warp` that wait in a warp call, when none of its lanes can run. The first choice is lanes whose
/// mask is complete: all lanes in it are there or have ended. The second is lanes without a mask at the first place in
/// the code, so that diverged lanes reconverge after the branch. The last is lanes of an incomplete mask, which is a
/// finding. Returns false if no lane is in a warp call.
bool release_lanes(std::span<Thread> warp, Findings* findings);

/// A launch whose threads run one after another, each until it waits or ends. The order is the same each time.
///
/// Threads: the one that created it.
class FiberLaunch {
 public:
  /// Creates the launch and its first block.
  ///
  /// Lifetime: borrows all.
  FiberLaunch(const kmux_cpu_grid& launch, kmux_cpu_thread body, const void* arguments,
              const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
              std::uint64_t dynamic_bytes);
  /// Returns the launch that the calling thread of the machine runs.
  static FiberLaunch& current();
  static bool is_any();  // false if kernel code is called outside a launch: a constructor, as its code is loaded

  std::uint64_t shared_bytes() const { return block_->memory.asked_bytes(); }
  /// Runs every block, one after another. Blocks of a cooperative launch alternate: each runs to its next grid barrier.
  ///
  /// Errors: launch_failed with the findings, and the failure of the kernel itself; invalid_argument for a cooperative
  ///         launch of more threads than can have a stack; cancelled if the host interrupts it between blocks.
  Status run();

  // Called for the running thread.
  Thread& thread() { return *running_; }
  const Index& block() const { return block_->index; }
  const kmux_cpu_grid& launch() const { return launch_; }
  SharedMemory& memory() { return block_->memory; }
  MemoryCheck* check() { return block_->check ? &*block_->check : nullptr; }
  void wait_at_barrier() { wait(Thread::State::kAtBarrier); }
  void wait_for_grid() { wait(Thread::State::kAtGridBarrier); }
  unsigned call_warp(WarpCall call);
  /// Ends the running thread, in a recursive function, if little of its stack is left.
  void check_stack(const char* function);
  /// Ends the running thread if its stack has too little room left for an array of `bytes`.
  void check_array(const char* function, std::uint64_t bytes);
  /// Reports that the running thread writes a value that a shuffle took from a lane that did not participate.
  void find_undefined(const kmux_cpu_site* site);
  /// Reports a division that has no quotient: by 0, or of the least integer by -1.
  void find_quotient(bool is_by_zero, const kmux_cpu_site* site);
  /// Yields to other threads now and then: a thread that polls memory waits for one of them.
  void poll();

 private:
  struct Block {
    Index index;
    SharedMemory memory;
    std::optional<MemoryCheck> check = {};
    std::vector<Thread> threads = {};
  };

  Status run_blocks();
  bool has_stack_for(std::uint64_t bytes) const;
  void add_stack_finding(const std::string& why, const char* advice);
  void end_thread();
  void add_block();
  void enter(Block& block) { block_ = &block, findings_.set_block(block.index); }
  void begin_block(std::uint64_t number);
  void run_block();
  Status run_together();
  Status check_interruption();
  void wait(Thread::State state);
  bool run_ready();
  void resume(Thread& thread);
  bool release_warps();
  bool release_barrier();
  bool release_grid();
  void check_barrier(const Thread& first);
  void check_grid_barrier();

  const kmux_cpu_grid& launch_;
  const kmux_cpu_thread body_;
  const void* const arguments_;
  const kmux_cpu_fiber_kernel& kernel_;
  const std::span<const kmux_cpu_extent> extents_;
  const std::uint64_t dynamic_bytes_;
  const std::size_t array_bytes_;  // of stack that calls may need before one of them checks it again
  Findings findings_;
  std::deque<Block> blocks_;  // that exist at the same time
  Block* block_ = nullptr;  // the running one
  std::vector<unsigned> order_;
  std::mt19937 random_;
  Thread* running_ = nullptr;
  Interruption interruption_;
};

}  // namespace kmux::simt
