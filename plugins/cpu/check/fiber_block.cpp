#include "check/fiber_block.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "check/warp.h"

namespace kmux::cpu {
namespace {

constexpr unsigned kPollsBetweenTurns = 64;

thread_local FiberLaunch* current_launch = nullptr;

std::uint64_t count(const unsigned (&extents)[3]) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }

Index index_of(std::uint64_t number, const unsigned (&extents)[3]) {
  const std::uint64_t row = number / extents[0];
  return {static_cast<unsigned>(number % extents[0]), static_cast<unsigned>(row % extents[1]),
          static_cast<unsigned>(row / extents[1])};
}

struct Scope {
  explicit Scope(FiberLaunch* launch) : before(current_launch) { current_launch = launch; }
  ~Scope() { current_launch = before; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  FiberLaunch* before;
};

}  // namespace

FiberLaunch::FiberLaunch(const kmux_cpu_grid& launch, kmux_cpu_thread body, const void* arguments,
                         const kmux_cpu_kernel& kernel, std::span<const kmux_cpu_extent> extents,
                         std::uint64_t dynamic_bytes)
    : launch_(launch),
      body_(body),
      arguments_(arguments),
      kernel_(kernel),
      memory_(kernel, dynamic_bytes),
      findings_(kernel.name) {
  if (kernel.is_checked != 0) check_.emplace(kernel, extents, memory_, findings_);
}

FiberLaunch& FiberLaunch::current() { return *current_launch; }

Status FiberLaunch::run() {
  const Scope scope(this);
  threads_.resize(count(launch_.block));
  order_.resize(threads_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::mt19937 random(kernel_.seed);
  for (std::uint64_t block = 0; block < count(launch_.grid); ++block) {
    block_ = index_of(block, launch_.grid);
    findings_.set_block(block_);
    for (std::size_t i = order_.size(); kernel_.seed != 0 && i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
    run_block();
  }
  return findings_.status();
}

void FiberLaunch::begin_threads() {
  for (unsigned i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread.number = i;
    thread.index = index_of(i, launch_.block);
    thread.state = Thread::State::kReady;
    thread.mask = 0;
    thread.site = nullptr;
    thread.seen = {};
    thread.seen[thread.lane()] = 1;
  }
}

// Where no thread can go on by itself, those of a warp are let go first: a barrier waits for them too.
void FiberLaunch::run_block() {
  begin_threads();
  if (check_) check_->begin_block();
  do {
    while (run_ready() || release_warps()) {
    }
  } while (release_barrier());
}

bool FiberLaunch::run_ready() {
  bool any = false;
  for (const unsigned number : order_) {
    if (threads_[number].state != Thread::State::kReady) continue;
    any = true;
    resume(threads_[number]);
  }
  return any;
}

// A thread that ends without having waited leaves its fiber to the next one.
void FiberLaunch::resume(Thread& thread) {
  if (thread.fiber == nullptr) {
    thread.fiber = FiberPool::of_thread().take();
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
  if (!thread.fiber->is_done()) return;
  thread.state = Thread::State::kEnded;
  FiberPool::of_thread().give_back(std::move(thread.fiber));
}

bool FiberLaunch::release_warps() {
  bool any = false;
  for (std::size_t first = 0; first < threads_.size(); first += kWarpLanes) {
    const std::size_t lanes = std::min<std::size_t>(kWarpLanes, threads_.size() - first);
    any = release_lanes(std::span(threads_).subspan(first, lanes), check_ ? &findings_ : nullptr) || any;
  }
  return any;
}

bool FiberLaunch::release_barrier() {
  const auto waits = [](const Thread& thread) { return thread.state == Thread::State::kAtBarrier; };
  const auto first = std::ranges::find_if(threads_, waits);
  if (first == threads_.end()) return false;
  if (check_) {
    check_barrier(*first);
    check_->pass_barrier();
  }
  for (Thread& thread : threads_) {
    if (waits(thread)) thread.state = Thread::State::kReady;
  }
  return true;
}

void FiberLaunch::check_barrier(const Thread& first) {
  const auto other = std::ranges::find_if(threads_, [&](const Thread& thread) {
    return thread.state == Thread::State::kEnded || thread.site != first.site;
  });
  if (other == threads_.end()) return;
  const bool has_ended = other->state == Thread::State::kEnded;
  findings_.add({Finding::Kind::kBarrier, first.site, first.index,
                 "waits at a barrier that not all threads of its block come to",
                 "thread " + to_string(other->index) +
                     (has_ended ? " has ended" : " waits at the barrier of " + Findings::place(other->site)),
                 "Have all threads of the block come there"});
}

void FiberLaunch::wait_at_barrier() {
  running_->state = Thread::State::kAtBarrier;
  running_->fiber->wait();
}

unsigned FiberLaunch::call_warp(WarpCall call) {
  Thread& thread = *running_;
  call.mask = thread.mask;
  thread.call = call;
  thread.state = Thread::State::kInWarpCall;
  if (check_ && call.mask != 0 && (call.mask >> thread.lane() & 1) == 0) {
    findings_.add({Finding::Kind::kMask, thread.site, thread.index,
                   "calls a function of its warp whose mask does not name its own lane",
                   "lane " + std::to_string(thread.lane()), "Name it, or do not call it there"});
  }
  thread.fiber->wait();
  return thread.call.result;
}

void FiberLaunch::poll() {
  if (++running_->polls % kPollsBetweenTurns == 0) running_->fiber->wait();
}

}  // namespace kmux::cpu
