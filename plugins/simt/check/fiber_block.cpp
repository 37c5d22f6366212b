#include "simt/check/fiber_block.h"

#include <algorithm>
#include <utility>

namespace kmux::simt {
namespace {

constexpr unsigned kPollsBetweenTurns = 64;
constexpr std::size_t kMinStackBytes = std::size_t{32} << 10;  // for functions of the machine's libraries

// Returns the stack to reserve for arrays: nothing for few bytes, which fit on any stack; else in steps, so that fibers
// are reused.
std::size_t reserved_for(std::uint64_t array_bytes) {
  constexpr std::uint64_t kStep = 64 << 10;
  return array_bytes <= kMinStackBytes / 2 ? 0 : (array_bytes + kStep - 1) / kStep * kStep;
}

thread_local FiberLaunch* current_launch = nullptr;

struct CurrentLaunch {
  explicit CurrentLaunch(FiberLaunch* launch) : before(current_launch) { current_launch = launch; }
  ~CurrentLaunch() { current_launch = before; }
  CurrentLaunch(const CurrentLaunch&) = delete;
  CurrentLaunch& operator=(const CurrentLaunch&) = delete;
  FiberLaunch* before;
};

// Drops large stacks after a launch, so that the pages they have written to are not kept.
struct DropLarge {
  DropLarge() = default;
  ~DropLarge() { FiberPool::of_thread().drop_large(); }
  DropLarge(const DropLarge&) = delete;
  DropLarge& operator=(const DropLarge&) = delete;
};

}  // namespace

FiberLaunch::FiberLaunch(const kmux_cpu_grid& launch, kmux_cpu_thread body, const void* arguments,
                         const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents,
                         std::uint64_t dynamic_bytes)
    : launch_(launch),
      body_(body),
      arguments_(arguments),
      kernel_(kernel),
      extents_(extents),
      array_bytes_(reserved_for(kernel.array_bytes)),
      layout_(kernel, dynamic_bytes),
      cluster_{std::max(launch.cluster[0], 1U), std::max(launch.cluster[1], 1U), std::max(launch.cluster[2], 1U)},
      findings_(kernel.name),
      random_(kernel.seed) {}

FiberLaunch& FiberLaunch::current() { return *current_launch; }
bool FiberLaunch::is_any() { return current_launch != nullptr; }

// A failed assertion of the kernel may be due to earlier findings, so both are reported.
Status FiberLaunch::run() {
  const CurrentLaunch scope(this);
  const DropLarge afterwards;
  try {
    KMUX_TRY(run_blocks());
  } catch (const KernelFailure& failure) {
    return findings_.status_with(failure.what());
  }
  findings_.send_notes();
  return findings_.status();
}

// Returns the fiber of a thread that ends to the pool, for the next thread. If the thread was ended early, drops its
// fiber.
void FiberLaunch::resume(Thread& thread) {
  if (thread.fiber == nullptr) {
    thread.fiber = FiberPool::of_thread().take(Fiber::kStackBytes + 2 * array_bytes_);
    thread.fiber->set_task(
        [](void* self) {
          const FiberLaunch& launch = *static_cast<FiberLaunch*>(self);
          launch.body_(launch.arguments_);
        },
        this);
  }
  thread.state = Thread::State::kReady;
  thread.only_polls = false;
  running_ = &thread;
  thread.fiber->resume();
  running_ = nullptr;
  if (thread.state == Thread::State::kEnded) {
    thread.fiber.reset();
  } else if (thread.fiber->is_done()) {
    thread.state = Thread::State::kEnded;
    FiberPool::of_thread().give_back(std::move(thread.fiber));
  }
  if (thread.state == Thread::State::kEnded) note_end(thread);
}

// Notes copies from shared memory that a thread has not waited for. Most GPUs keep that memory long enough.
void FiberLaunch::check_stores(const Thread& thread) {
  const WorkGroups& bulk = thread.clock->bulk;
  if (bulk.is_done()) return;
  findings_.add_note({Finding::Kind::kUnit, bulk.site, thread.index,
                      "ends while a bulk copy may still read its shared memory", "the thread has not waited for it",
                      "Execute cp.async.bulk.wait_group.read 0 before the end"});
}

void FiberLaunch::end_checked_block() {
  check()->end_block();
  for (const auto& [group, state] : block_->group->check->groups) {
    const GroupStep* const step = state.sequence.unpaired();
    if (group.first != block_->rank || step == nullptr) continue;
    findings_.add({Finding::Kind::kGroup, step->site, block_->threads[group.second * kWarpLanes * kGroupWarps].index,
                   "executes " + std::string(step->instruction) + " in some warps of a group of four alone",
                   "the others have ended before", "Execute it in all four warps"});
  }
}

void FiberLaunch::note_end(Thread& thread) {
  const unsigned live = --block_->live;
  if (live == 0 && check() != nullptr) end_checked_block();
  ClusterBarrier& barrier = block_->group->barrier;
  if (thread.clock) {
    check_stores(thread);
    barrier.clock.arrive(*thread.clock);
  }
  const bool has_arrived = thread.has_arrived && thread.cluster_generation == barrier.generation;
  const bool ends_barrier = barrier.note_end(has_arrived);
  const bool ends_products = block_->products[thread.group()].note_end(thread.warp_of_group());
  if (block_->barriers.note_end(live) || ends_barrier || ends_products) note_change();
}

namespace {

using Groups = std::vector<std::unique_ptr<BlockGroup>>;

template <class Visit>
void for_each_block(const Groups& groups, const Visit& visit) {
  for (const auto& group : groups) {
    for (FiberBlock& block : group->blocks) visit(block);
  }
}

// Passes a barrier of all threads of some blocks, ended ones too.
template <class Blocks>
void join_clocks(Blocks& blocks) {
  BarrierClock barrier;
  for (FiberBlock& block : blocks) {
    for (Thread& thread : block.threads) barrier.arrive(*thread.clock);
  }
  barrier.complete();
  for (FiberBlock& block : blocks) {
    for (Thread& thread : block.threads) thread.clock->acquire(barrier);
    block.check->shadow().pass_barrier();
  }
}

}  // namespace

bool FiberLaunch::release_warps() {
  bool any = false;
  const std::span<Thread> threads = block_->threads;
  for (std::size_t first = 0; first < threads.size(); first += kWarpLanes) {
    const std::size_t lanes = std::min<std::size_t>(kWarpLanes, threads.size() - first);
    const std::span<Thread> warp = threads.subspan(first, lanes);
    if (std::ranges::any_of(warp, &Thread::is_runnable)) continue;
    any = release_lanes(warp, check() != nullptr ? &findings_ : nullptr) || any;
  }
  return any;
}

bool FiberLaunch::release_barrier() {
  const auto waits = [](const Thread& thread) { return thread.state == Thread::State::kAtBarrier; };
  const auto first = std::ranges::find_if(block_->threads, waits);
  if (first == block_->threads.end()) return false;
  const auto waits_for_unit = [](const Thread& thread) { return thread.state == Thread::State::kWaiting; };
  if (std::ranges::any_of(block_->threads, waits_for_unit)) return false;  // it may come there later
  if (check() != nullptr) {
    check_barrier(*first);
    std::span<FiberBlock> own(block_, 1);
    join_clocks(own);
  }
  for (Thread& thread : block_->threads) {
    if (waits(thread)) thread.state = Thread::State::kReady;
  }
  return true;
}

// Called when every thread waits for the grid or has ended.
bool FiberLaunch::release_grid() {
  check_grid_barrier();
  bool any = false;
  for (const auto& group : groups_) {
    if (group->check) join_clocks(group->blocks);  // other clusters do not access the memory that is checked
  }
  for_each_block(groups_, [&](FiberBlock& block) {
    for (Thread& thread : block.threads) {
      if (thread.state != Thread::State::kAtGridBarrier) continue;
      thread.state = Thread::State::kReady;
      any = true;
    }
  });
  return any;
}

namespace {

// Returns the first thread for which `holds` is true, and its block; nulls if none is.
template <class Predicate>
std::pair<FiberBlock*, const Thread*> find_thread(const Groups& groups, const Predicate& holds) {
  std::pair<FiberBlock*, const Thread*> first = {};
  for_each_block(groups, [&](FiberBlock& block) {
    const auto found = std::ranges::find_if(block.threads, holds);
    if (first.first == nullptr && found != block.threads.end()) first = {&block, &*found};
  });
  return first;
}

// Describes a thread that is not at the barrier of another.
std::string instead(const Thread& thread) {
  if (thread.state == Thread::State::kEnded) return " has ended";
  return " waits at the barrier of " + Findings::place(thread.site);
}

}  // namespace

void FiberLaunch::check_grid_barrier() {
  if (check() == nullptr) return;
  const auto [waiting, first] =
      find_thread(groups_, [](const Thread& thread) { return thread.state == Thread::State::kAtGridBarrier; });
  if (first == nullptr) return;
  enter(*waiting);
  const auto [block, other] = find_thread(groups_, [site = first->site](const Thread& thread) {
    return thread.state == Thread::State::kEnded || thread.site != site;
  });
  if (other == nullptr) return;
  findings_.add({Finding::Kind::kBarrier, first->site, first->index,
                 "waits at a barrier that not all threads of its grid come to",
                 "thread " + to_string(other->index) + " of block " + to_string(block->index) + instead(*other),
                 "Have all threads of the grid come there"});
}

// A barrier of a block does not wait for threads that have ended (compute capability 7.0 and later).
void FiberLaunch::check_barrier(const Thread& first) {
  const auto has_ended = [](const Thread& thread) { return thread.state == Thread::State::kEnded; };
  const auto other = std::ranges::find_if(
      block_->threads, [&](const Thread& thread) { return !has_ended(thread) && thread.site != first.site; });
  if (other == block_->threads.end()) {
    const auto ended = std::ranges::find_if(block_->threads, has_ended);
    if (ended == block_->threads.end()) return;
    return findings_.add_note({Finding::Kind::kBarrier, first.site, first.index,
                               "waits at a barrier that some threads of its block have ended before",
                               "thread " + to_string(ended->index) + instead(*ended),
                               "GPUs since compute capability 7.0 do not wait for these, earlier ones may hang"});
  }
  findings_.add({Finding::Kind::kBarrier, first.site, first.index,
                 "waits at a barrier that not all threads of its block come to",
                 "thread " + to_string(other->index) + instead(*other), "Have all threads of the block come there"});
}

void FiberLaunch::wait(Thread::State state) {
  running_->state = state;
  running_->fiber->wait();
}

unsigned FiberLaunch::call_warp(WarpCall call) {
  Thread& thread = *running_;
  call.mask = thread.mask;
  thread.call = call;
  thread.state = Thread::State::kInWarpCall;
  if (check() != nullptr && call.mask != 0 && (call.mask >> thread.lane() & 1) == 0) {
    findings_.add({Finding::Kind::kMask, thread.site, thread.index,
                   "calls a function of its warp whose mask does not name its own lane",
                   "lane " + std::to_string(thread.lane()), "Name it, or do not call it there"});
  }
  thread.fiber->wait();
  return thread.call.result;
}

void FiberLaunch::find_undefined(const kmux_cpu_site* site) {
  const UndefinedValue& value = running_->undefined;
  findings_.add({Finding::Kind::kMask, site, running_->index,
                 "writes what a function of its warp took from lane " + std::to_string(value.lane) +
                     ", which does not take part in it",
                 "at " + Findings::place(value.site), "Have that lane take part, or take 0 in its place"});
}

void FiberLaunch::find_quotient(bool is_by_zero, const kmux_cpu_site* site) {
  constexpr auto kKind = Finding::Kind::kQuotient;
  if (findings_.count_known(kKind, site)) return;
  findings_.add(is_by_zero ? Finding{kKind, site, running_->index, "divides by 0", "the quotient is undefined",
                                     "Test the divisor before"}
                           : Finding{kKind, site, running_->index, "divides the least integer by -1",
                                     "its type has no such quotient", "Divide in a wider type, or test for it before"});
}

void FiberLaunch::find_register(bool is_early_use, const kmux_cpu_site* product, const kmux_cpu_site* other) {
  if (running_->number != 0 || block_->index != Index{}) return;
  const std::string place = Findings::place(is_early_use ? product : other);
  if (is_early_use) {
    findings_.add({Finding::Kind::kEarlyUse, other, running_->index, "uses a result of wgmma before wgmma.wait_group",
                   "the wgmma at " + place, "Wait for its group before"});
  } else if (other == nullptr) {
    findings_.add({Finding::Kind::kLateWrite, product, running_->index, "executes wgmma with no wgmma.fence before",
                   "its registers may not be written yet", "Put wgmma.fence before it"});
  } else {
    findings_.add({Finding::Kind::kLateWrite, product, running_->index,
                   "executes wgmma on registers written with no wgmma.fence between", "written at " + place,
                   "Put wgmma.fence between the two"});
  }
}

bool FiberLaunch::has_stack_for(std::uint64_t bytes) const {
  const std::size_t left = running_->fiber->bytes_below(__builtin_frame_address(0));
  return left >= kMinStackBytes + array_bytes_ && bytes <= left - kMinStackBytes - array_bytes_;
}

void FiberLaunch::check_stack(const char* function) {
  if (has_stack_for(0)) return;
  add_stack_finding("function \"" + std::string(function) + "\" calls itself", "End the recursion sooner");
  end_thread();
}

void FiberLaunch::check_array(const char* function, std::uint64_t bytes) {
  if (has_stack_for(bytes)) return;
  add_stack_finding("function \"" + std::string(function) + "\" has an array of " + std::to_string(bytes) + " bytes",
                    "Choose a smaller one, or take memory of a tensor or workspace");
  end_thread();
}

void FiberLaunch::add_stack_finding(const std::string& why, const char* advice) {
  const std::size_t stack_bytes = running_->fiber->stack_bytes();
  findings_.add({Finding::Kind::kStack, nullptr, running_->index,
                 "needs more than the " + std::to_string(stack_bytes >> 10) + " KiB of stack of a thread", why,
                 advice});
}

// The frames of the thread never resume, as its fiber is dropped: no caller may own memory.
void FiberLaunch::end_thread() {
  running_->state = Thread::State::kEnded;
  running_->fiber->wait();
}

void FiberLaunch::poll() {
  if (++running_->polls % kPollsBetweenTurns == 0) yield();
}

void FiberLaunch::yield() {
  running_->only_polls = true;
  running_->fiber->wait();
}

bool FiberLaunch::wait_for(const Wait& wait) {
  if (wait.is_over()) return true;
  running_->wait = wait;
  running_->has_given_up = false;
  this->wait(Thread::State::kWaiting);
  return !running_->has_given_up;
}

}  // namespace kmux::simt
