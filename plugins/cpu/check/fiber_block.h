#pragma once

#include <deque>
#include <optional>
#include <random>
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
  static bool is_any();  // else code of a kernel is called for something else: a constructor, as its code is loaded

  std::uint64_t shared_bytes() const { return block_->memory.asked_bytes(); }
  /// Runs every block: one after another, but those of a cooperative launch in turns, each to where it waits for the grid.
  ///
  /// Errors: launch_failed with the findings, and what failed in the kernel itself; invalid_argument for a cooperative launch of more threads than can have a stack.
  Status run();

  // What the running thread asks for.
  Thread& thread() { return *running_; }
  const Index& block() const { return block_->index; }
  const kmux_cpu_grid& launch() const { return launch_; }
  SharedMemory& memory() { return block_->memory; }
  MemoryCheck* check() { return block_->check ? &*block_->check : nullptr; }
  void wait_at_barrier() { wait(Thread::State::kAtBarrier); }
  void wait_for_grid() { wait(Thread::State::kAtGridBarrier); }
  unsigned call_warp(WarpCall call);
  /// Ends the running thread, in a function that goes on calling itself, if little of its stack is left.
  void check_stack(const char* function);
  /// Ends the running thread if its stack has too little left for an array of `bytes`.
  void check_array(const char* function, std::uint64_t bytes);
  /// The running thread writes what a shuffle took from a lane that did not take part.
  void find_undefined(const kmux_cpu_site* site);
  /// Lets others run now and then: a thread that polls memory waits for one of them.
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
  void end_without_stack(const std::string& why, const char* advice);
  void add_block();
  void enter(Block& block) { block_ = &block, findings_.set_block(block.index); }
  void begin_block(std::uint64_t number);
  void run_block();
  void run_together();
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
  const std::size_t array_bytes_;  // that a way of calls may need before a function of it asks again
  Findings findings_;
  std::deque<Block> blocks_;  // that are there at once
  Block* block_ = nullptr;  // that runs
  std::vector<unsigned> order_;
  std::mt19937 random_;
  Thread* running_ = nullptr;
};

}  // namespace kmux::cpu
