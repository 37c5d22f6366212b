#include "simt/check/fiber_block.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kmux::simt {
namespace {

constexpr unsigned kPollsBetweenTurns = 64;
constexpr std::uint64_t kMaxResidents = 16384;  // threads of a cooperative launch, each with a stack
constexpr std::size_t kMinStackBytes = std::size_t{32} << 10;  // for functions of the machine's libraries

// Returns the stack to reserve for arrays: nothing for few bytes, which fit on any stack; else in steps, so that fibers
// are reused.
std::size_t reserved_for(std::uint64_t array_bytes) {
  constexpr std::uint64_t kStep = 64 << 10;
  return array_bytes <= kMinStackBytes / 2 ? 0 : (array_bytes + kStep - 1) / kStep * kStep;
}

thread_local FiberLaunch* current_launch = nullptr;

std::uint64_t product_of(const unsigned (&extents)[3]) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }

Index index_of(std::uint64_t number, const unsigned (&extents)[3]) {
  const std::uint64_t row = number / extents[0];
  return {static_cast<unsigned>(number % extents[0]), static_cast<unsigned>(row % extents[1]),
          static_cast<unsigned>(row / extents[1])};
}

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
      dynamic_bytes_(dynamic_bytes),
      array_bytes_(reserved_for(kernel.array_bytes)),
      findings_(kernel.name),
      random_(kernel.seed) {
  add_block();
}

void FiberLaunch::add_block() {
  block_ = &blocks_.emplace_back(Block{{}, SharedMemory(kernel_, dynamic_bytes_)});
  if (kernel_.is_checked != 0) block_->check.emplace(kernel_, extents_, block_->memory, findings_);
}

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

Status FiberLaunch::run_blocks() {
  const std::uint64_t blocks = product_of(launch_.grid);
  order_.resize(product_of(launch_.block));
  std::iota(order_.begin(), order_.end(), 0U);
  if (launch_.is_cooperative == 0) {
    for (std::uint64_t block = 0; block < blocks; ++block) {
      KMUX_TRY(check_interruption());
      begin_block(block);
      run_block();
    }
    return Ok{};
  }
  if (blocks > kMaxResidents / order_.size()) {
    return make_error(ErrorCode::kInvalidArgument, "the grid is too large for a cooperative launch (" +
                                                       std::to_string(blocks) + " blocks of " +
                                                       std::to_string(order_.size()) +
                                                       " threads, which have a stack each; there are 16384). Use fewer "
                                                       "blocks, each of which does more.");
  }
  for (std::uint64_t block = 0; block < blocks; ++block) {
    if (block > 0) add_block();
    begin_block(block);
  }
  return run_together();
}

Status FiberLaunch::run_together() {
  do {
    for (Block& block : blocks_) {
      KMUX_TRY(check_interruption());
      enter(block);
      run_block();
    }
  } while (release_grid());
  return Ok{};
}

Status FiberLaunch::check_interruption() {
  if (!interruption_.is_requested()) return Ok{};
  return make_error(ErrorCode::kCancelled, kInterruptionMessage);
}

void FiberLaunch::begin_block(std::uint64_t number) {
  block_->index = index_of(number, launch_.grid);
  block_->threads.resize(order_.size());
  for (unsigned i = 0; i < block_->threads.size(); ++i) {
    Thread& thread = block_->threads[i];
    thread.number = i;
    thread.index = index_of(i, launch_.block);
    thread.state = Thread::State::kReady;
    thread.mask = 0;
    thread.site = nullptr;
    thread.undefined = {};
    thread.seen = {};
    thread.seen[thread.lane()] = 1;
  }
  enter(*block_);
  if (block_->check) block_->check->begin_block();
}

// Releases warp calls before barriers where no thread of a warp can run: a barrier waits for these threads, too.
void FiberLaunch::run_block() {
  for (std::size_t i = order_.size(); kernel_.seed != 0 && i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
  do {
    for (bool goes_on = true; goes_on;) {
      goes_on = run_ready();
      goes_on = release_warps() || goes_on;  // others may poll for them in a loop
    }
  } while (release_barrier());
}

bool FiberLaunch::run_ready() {
  bool any = false;
  for (const unsigned number : order_) {
    Thread& thread = block_->threads[number];
    if (thread.state != Thread::State::kReady) continue;
    any = true;
    resume(thread);
  }
  return any;
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
  running_ = &thread;
  thread.fiber->resume();
  running_ = nullptr;
  if (thread.state == Thread::State::kEnded) thread.fiber.reset();
  if (thread.fiber == nullptr || !thread.fiber->is_done()) return;
  thread.state = Thread::State::kEnded;
  FiberPool::of_thread().give_back(std::move(thread.fiber));
}

bool FiberLaunch::release_warps() {
  bool any = false;
  const std::span<Thread> threads = block_->threads;
  for (std::size_t first = 0; first < threads.size(); first += kWarpLanes) {
    const std::size_t lanes = std::min<std::size_t>(kWarpLanes, threads.size() - first);
    const std::span<Thread> warp = threads.subspan(first, lanes);
    const auto is_ready = [](const Thread& thread) { return thread.state == Thread::State::kReady; };
    if (std::ranges::any_of(warp, is_ready)) continue;
    any = release_lanes(warp, check() != nullptr ? &findings_ : nullptr) || any;
  }
  return any;
}

bool FiberLaunch::release_barrier() {
  const auto waits = [](const Thread& thread) { return thread.state == Thread::State::kAtBarrier; };
  const auto first = std::ranges::find_if(block_->threads, waits);
  if (first == block_->threads.end()) return false;
  if (MemoryCheck* const checking = check()) {
    check_barrier(*first);
    checking->pass_barrier();
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
  for (Block& block : blocks_) {
    if (block.check) block.check->pass_barrier();
    for (Thread& thread : block.threads) {
      if (thread.state != Thread::State::kAtGridBarrier) continue;
      thread.state = Thread::State::kReady;
      any = true;
    }
  }
  return any;
}

namespace {

// Returns the first thread for which `holds` is true, and its block; nulls if none is.
template <class Block, class Predicate>
std::pair<Block*, const Thread*> find_thread(std::deque<Block>& blocks, const Predicate& holds) {
  for (Block& block : blocks) {
    const auto found = std::ranges::find_if(block.threads, holds);
    if (found != block.threads.end()) return {&block, &*found};
  }
  return {};
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
      find_thread(blocks_, [](const Thread& thread) { return thread.state == Thread::State::kAtGridBarrier; });
  if (first == nullptr) return;
  enter(*waiting);
  const auto [block, other] = find_thread(blocks_, [site = first->site](const Thread& thread) {
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
  if (++running_->polls % kPollsBetweenTurns == 0) running_->fiber->wait();
}

}  // namespace kmux::simt
