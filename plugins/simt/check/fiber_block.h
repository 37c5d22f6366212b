#pragma once

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "simt/check/block_group.h"
#include "simt/check/findings.h"
#include "simt/runtime/interruption.h"

namespace kmux::simt {

/// Resumes lanes of `warp` that wait in a warp call, when none of its lanes can run. The first choice is lanes whose
/// mask is complete: all lanes in it are there or have ended. The second is lanes without a mask at the first place in
/// the code, so that diverged lanes reconverge after the branch. The last is lanes of an incomplete mask, which is a
/// finding; not if another lane waits for a unit, as it may come there later. Returns false if no lane is resumed.
bool release_lanes(std::span<Thread> warp, Findings* findings);

/// A launch whose threads run one after another, each until it waits or ends. The order is the same each time.
///
/// Blocks begin in the order of their numbers. The blocks of a cluster begin together, those of a cooperative launch
/// all at once. Others begin when those before have ended or only poll memory, since they may wait for later ones.
///
/// Threads: the one that created it.
class FiberLaunch {
 public:
  /// Lifetime: borrows all.
  FiberLaunch(const kmux_cpu_grid& launch, kmux_cpu_thread body, const void* arguments,
              const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
              std::uint64_t dynamic_bytes);
  /// Returns the launch that the calling thread of the machine runs.
  static FiberLaunch& current();
  static bool is_any();  // false if kernel code is called outside a launch: a constructor, as its code is loaded

  /// Returns the bytes of shared memory that a block requests.
  std::uint64_t shared_bytes() const { return layout_.asked_bytes(); }
  /// Runs every block.
  ///
  /// Errors: launch_failed with the findings, the failure of the kernel itself, or the waits of threads that all wait
  ///         for each other; invalid_argument for a cluster that does not divide the grid or is too large, and for a
  ///         cooperative launch of more threads than can have a stack; cancelled if the host interrupts it.
  Status run();

  // Called for the running thread.
  Thread& thread() { return *running_; }
  FiberBlock& block() { return *block_; }
  const Index& cluster() const { return cluster_; }  // its extents
  const kmux_cpu_grid& launch() const { return launch_; }
  SharedMemory& memory() { return block_->memory; }
  Findings& findings() { return findings_; }
  MemoryCheck* check() { return block_->check ? &*block_->check : nullptr; }
  void wait_at_barrier() { wait(Thread::State::kAtBarrier); }
  void wait_for_grid() { wait(Thread::State::kAtGridBarrier); }
  /// Waits until `wait` is over. Returns false if it gave up.
  bool wait_for(const Wait& wait);
  /// Notes a change of a barrier or counter for which threads may wait.
  void note_change() { ++changes_; }
  /// Yields to other threads, whose effects the running thread polls for.
  void yield();
  unsigned call_warp(WarpCall call);
  /// Ends the running thread, in a recursive function, if little of its stack is left.
  void check_stack(const char* function);
  /// Ends the running thread if its stack has too little room left for an array of `bytes`.
  void check_array(const char* function, std::uint64_t bytes);
  /// Reports that the running thread writes a value that a shuffle took from a lane that did not participate.
  void find_undefined(const kmux_cpu_site* site);
  /// Reports a division that has no quotient: by 0, or of the least integer by -1.
  void find_quotient(bool is_by_zero, const kmux_cpu_site* site);
  /// Reports a misuse of the registers of a wgmma (check/product_registers.h), which each thread has as it begins.
  void find_register(bool is_early_use, const kmux_cpu_site* product, const kmux_cpu_site* other);
  /// Yields to other threads now and then: a thread that polls memory waits for one of them.
  void poll();

 private:
  /// The progress of threads in one round.
  enum class Progress : unsigned char { kNone, kPolls, kSome };

  Status check_clusters() const;
  Status check_residents() const;
  Status run_blocks();
  Progress run_groups();
  void drop_ended();
  bool needs_more(Progress progress, bool has_more);
  bool release_stuck(bool any_polls);
  bool give_up_waits();
  std::string waits_text() const;
  const FiberBlock& first_waiting() const;
  bool has_stack_for(std::uint64_t bytes) const;
  void add_stack_finding(const std::string& why, const char* advice);
  void end_thread();
  std::unique_ptr<BlockGroup> new_group();
  Index index_in_grid(std::uint64_t group, unsigned rank) const;
  void begin_group(std::uint64_t number);
  void begin_block(FiberBlock& block, const Index& index);
  void enter(FiberBlock& block) { block_ = &block, findings_.set_block(block.index); }
  Progress run_block();
  Status check_interruption();
  void wait(Thread::State state);
  Progress run_ready();
  void resume(Thread& thread);
  void end_checked_block();
  void check_stores(const Thread& thread);
  void note_end(Thread& thread);
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
  const std::size_t array_bytes_;  // of stack that calls may need before one of them checks it again
  const SharedMemory layout_;  // of each block
  const Index cluster_;  // blocks of a cluster in x, y, z
  Findings findings_;
  std::vector<std::unique_ptr<BlockGroup>> groups_;  // that exist at the same time, in the order of their numbers
  std::vector<std::unique_ptr<BlockGroup>> idle_;  // that have ended
  FiberBlock* block_ = nullptr;  // the running one
  std::uint64_t changes_ = 0;
  std::uint64_t changes_at_give_up_ = 0;
  unsigned fruitless_ = 0;  // times that waits have given up since the last change
  unsigned idle_rounds_ = 0;  // in which threads only polled
  std::vector<unsigned> order_;
  std::mt19937 random_;
  Thread* running_ = nullptr;
  Interruption interruption_;
};

}  // namespace kmux::simt
