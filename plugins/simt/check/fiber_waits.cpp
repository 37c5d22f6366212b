// The text for threads that all wait for each other.
#include <cstring>

#include "simt/check/fiber_block.h"
#include "simt/check/mbarrier_state.h"

namespace kmux::simt {
namespace {

std::string mbarrier_text(const FiberBlock& block, const Wait& wait) {
  const char* const address = reinterpret_cast<const char*>(wait.word);
  std::uint64_t word = 0;
  std::memcpy(&word, address, sizeof word);
  const SharedWindows& windows = block.group->windows;
  const std::string of = windows.has(address) && windows.number_of(address) != block.rank
                             ? " of block " + std::to_string(windows.number_of(address)) + " of the cluster"
                             : "";
  return "for the mbarrier at byte " + std::to_string(windows.offset_of(address)) + " of shared memory" + of +
         ", parity " + std::to_string(wait.unlike & kPhaseBit) + " (" + MbarrierState::read(word).missing() + ")";
}

std::string named_barrier_text(const FiberBlock& block, const Wait& wait) {
  for (unsigned number = 0; number < NamedBarriers::kCount; ++number) {
    const NamedBarriers::Barrier& barrier = block.barriers[number];
    if (&barrier.generation != wait.word) continue;
    const unsigned wanted = barrier.threads == 0 ? block.live : barrier.threads;
    return "at barrier " + std::to_string(number) + " (" + std::to_string(wanted - barrier.arrived) + " of " +
           std::to_string(wanted) + " arrivals missing)";
  }
  return "at a barrier";
}

std::string wait_text(const FiberBlock& block, const Thread& thread) {
  switch (thread.state) {
    case Thread::State::kInWarpCall:
      return "for other lanes of the warp";
    case Thread::State::kAtBarrier:
      return "at a barrier of the block";
    case Thread::State::kAtGridBarrier:
      return "at a barrier of the grid";
    default:
      break;
  }
  if (thread.wait.kind == Wait::Kind::kMbarrier) return mbarrier_text(block, thread.wait);
  if (thread.wait.kind == Wait::Kind::kProducts) return "for the other warps of its group to issue their wgmma";
  return thread.wait.kind == Wait::Kind::kCluster ? "at the barrier of the cluster"
                                                  : named_barrier_text(block, thread.wait);
}

/// Consecutive threads of a block that wait for the same event.
struct Waiting {
  unsigned first, last;
  std::string event;
};

std::vector<Waiting> waiting_in(const FiberBlock& block) {
  std::vector<Waiting> all;
  for (const Thread& thread : block.threads) {
    if (thread.state == Thread::State::kEnded) continue;
    const std::string place = thread.site == nullptr ? "" : " at " + Findings::place(thread.site);
    std::string event = wait_text(block, thread) + place;
    if (!all.empty() && all.back().event == event && all.back().last + 1 == thread.number) {
      all.back().last = thread.number;
    } else {
      all.push_back({thread.number, thread.number, std::move(event)});
    }
  }
  return all;
}

std::string to_string(const Waiting& some) {
  const bool is_one = some.first == some.last;
  return (is_one ? "thread " : "threads ") + std::to_string(some.first) +
         (is_one ? "" : " to " + std::to_string(some.last)) + (is_one ? " waits " : " wait ") + some.event;
}

}  // namespace

// The first block that waits says enough: others wait as it does, or for it.
std::string FiberLaunch::waits_text() const {
  const FiberBlock& block = first_waiting();
  constexpr std::size_t kMaxTold = 16;
  const std::vector<Waiting> all = waiting_in(block);
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kMaxTold); ++i)
    text.append(text.empty() ? "" : "; ").append(to_string(all[i]));
  return "kernel \"" + std::string(kernel_.name) + "\" never ends: all of its threads wait (block " +
         simt::to_string(block.index) + ": " + text + "). Have the missing arrivals come, or do not wait for them.";
}

// Some block has threads that live: its group would have been dropped.
const FiberBlock& FiberLaunch::first_waiting() const {
  for (const auto& group : groups_) {
    for (const FiberBlock& block : group->blocks) {
      if (block.live != 0) return block;
    }
  }
  return *block_;
}

}  // namespace kmux::simt
