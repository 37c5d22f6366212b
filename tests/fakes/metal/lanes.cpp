#include "lanes.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "fibers/fiber_group.h"

namespace kmux::fake_metal {
namespace {

using kmux_msl::Extents;
using kmux_msl::kLanes;

constexpr std::uint64_t kJunk = 0x7f7f7f7f7f7f7f7f;
constexpr unsigned kMostThreads = 1024;

// Of the group that runs on this thread of the host.
struct Running {
  unsigned thread = 0;
  std::array<std::uint64_t, kMostThreads> slots = {};
};
thread_local Running running;

// Another fiber may have run meanwhile.
template <class Wait>
void waiting(Wait wait) {
  const unsigned thread = running.thread;
  wait();
  running.thread = thread;
}

unsigned count(Extents extents) { return extents.x * extents.y * extents.z; }

Extents place(unsigned index, Extents in) { return {index % in.x, index / in.x % in.y, index / in.x / in.y}; }

}  // namespace

kmux_msl::Host kernel_host() {
  return {[] { waiting(fibers::wait_for_group); }, [] { waiting([] { fibers::wait_for_subgroup(kLanes); }); },
          [] { return running.thread % kLanes; },
          [] { return running.slots.data() + running.thread / kLanes * kLanes; }};
}

std::string run_grid(const BoundKernel& kernel) {
  std::vector<std::vector<std::uint64_t>> memory;
  std::vector<void*> threadgroup_memory;
  for (const unsigned long bytes : kernel.threadgroup_bytes) {
    memory.emplace_back((bytes + 7) / 8);
    threadgroup_memory.push_back(memory.back().data());
  }
  try {
    for (unsigned group = 0; group < count(kernel.groups); ++group) {
      for (auto& words : memory) std::fill(words.begin(), words.end(), kJunk);
      kmux_msl::Thread thread{kernel.buffers.data(), threadgroup_memory.data(),   kernel.groups,
                              kernel.group_size,     place(group, kernel.groups), {}};
      fibers::run_group(count(kernel.group_size), [&](unsigned index) {
        kmux_msl::Thread own = thread;
        own.position = place(index, kernel.group_size);
        running.thread = index;
        kernel.run(&own);
      });
    }
  } catch (const fibers::Deadlock& deadlock) {
    return deadlock.what();
  }
  return "";
}

}  // namespace kmux::fake_metal
