#include "check/fiber_calls.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "check/fiber_block.h"

namespace kmux::cpu {
namespace {

FiberLaunch& current() { return FiberLaunch::current(); }

template <unsigned axis>
unsigned thread_index() {
  return current().thread().index[axis];
}
template <unsigned axis>
unsigned block_index() {
  return current().block()[axis];
}
template <unsigned axis>
unsigned block_extent() {
  return current().launch().block[axis];
}
template <unsigned axis>
unsigned grid_extent() {
  return current().launch().grid[axis];
}

unsigned lane() { return current().thread().lane(); }
void barrier() { current().wait_at_barrier(); }
char* dynamic_memory() { return current().memory().dynamic(); }
char* shared_memory(std::uint64_t variable) { return current().memory().variable(variable); }

void participants(unsigned mask) { current().thread().mask = mask; }
void sync_warp() { current().call_warp({.kind = WarpCall::Kind::kSync, .place = __builtin_return_address(0)}); }
int shuffle(int value, int from) {
  return static_cast<int>(current().call_warp(
      {.kind = WarpCall::Kind::kShuffle, .value = value, .lane = from, .place = __builtin_return_address(0)}));
}
unsigned ballot(int condition) {
  return current().call_warp(
      {.kind = WarpCall::Kind::kBallot, .value = condition, .place = __builtin_return_address(0)});
}

void at_site(const kmux_cpu_site* site) { current().thread().site = site; }

char* check_access(const char* address, const char* base, std::uint64_t bytes, std::uint64_t alignment, unsigned kind,
                   std::uint64_t value, const kmux_cpu_site* site) {
  FiberLaunch& launch = current();
  if ((kind & access_kind::kAtomic) != 0) launch.poll();
  return launch.check()->check(launch.thread(), {address, base, bytes, alignment, kind, value, site});
}

char* check_variable(const char* address, const char* base, std::uint64_t bytes, std::uint64_t size, unsigned kind,
                     const kmux_cpu_site* site) {
  FiberLaunch& launch = current();
  return launch.check()->check_variable(launch.thread(), {address, base, bytes, 1, kind, 0, site}, size);
}

// A copy or a fill that may not be is not done.
void check_copy(char* to, const char* to_base, std::uint64_t to_alignment, const char* from, const char* from_base,
                std::uint64_t from_alignment, std::uint64_t bytes, const kmux_cpu_site* site) {
  const bool may_read = check_access(from, from_base, bytes, from_alignment, access_kind::kRead, 0, site) == from;
  const bool may_write = check_access(to, to_base, bytes, to_alignment, access_kind::kWrite, 0, site) == to;
  if (may_read && may_write) std::memmove(to, from, bytes);
}

void check_fill(char* to, const char* to_base, std::uint64_t alignment, unsigned char value, std::uint64_t bytes,
                const kmux_cpu_site* site) {
  const bool may_write = check_access(to, to_base, bytes, alignment, access_kind::kWrite, 0, site) == to;
  if (may_write) std::memset(to, value, bytes);
}

template <class F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* fiber_call(std::string_view symbol) {
  static const std::pair<std::string_view, void*> calls[] = {
      {"kmux.thread.x", address_of(&thread_index<0>)},
      {"kmux.thread.y", address_of(&thread_index<1>)},
      {"kmux.thread.z", address_of(&thread_index<2>)},
      {"kmux.block.x", address_of(&block_index<0>)},
      {"kmux.block.y", address_of(&block_index<1>)},
      {"kmux.block.z", address_of(&block_index<2>)},
      {"kmux.block_dim.x", address_of(&block_extent<0>)},
      {"kmux.block_dim.y", address_of(&block_extent<1>)},
      {"kmux.block_dim.z", address_of(&block_extent<2>)},
      {"kmux.grid_dim.x", address_of(&grid_extent<0>)},
      {"kmux.grid_dim.y", address_of(&grid_extent<1>)},
      {"kmux.grid_dim.z", address_of(&grid_extent<2>)},
      {"kmux.lane", address_of(&lane)},
      {"kmux.barrier", address_of(&barrier)},
      {"kmux.dynamic", address_of(&dynamic_memory)},
      {"kmux.shared", address_of(&shared_memory)},
      {"kmux.participants", address_of(&participants)},
      {"kmux.sync_warp", address_of(&sync_warp)},
      {"kmux.shuffle", address_of(&shuffle)},
      {"kmux.ballot", address_of(&ballot)},
      {"kmux.check.site", address_of(&at_site)},
      {"kmux.check.access", address_of(&check_access)},
      {"kmux.check.variable", address_of(&check_variable)},
      {"kmux.check.copy", address_of(&check_copy)},
      {"kmux.check.fill", address_of(&check_fill)},
      {"kmux_cpu_run_fibers", address_of(&kmux_cpu_run_fibers)},
      {"kmux_cpu_memory", address_of(&kmux_cpu_memory)},
  };
  if (!symbol.starts_with("kmux")) return nullptr;
  for (const auto& [name, address] : calls) {
    if (name == symbol) return address;
  }
  return nullptr;
}

}  // namespace kmux::cpu
