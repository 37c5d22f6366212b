#include "simt/check/fiber_launch.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "kmux/plugin/plugin.hpp"

#include "simt/check/fiber_block.h"
#include "simt/runtime/processor.h"

namespace {

using kmux::ErrorCode;
using kmux::make_error;
using kmux::Ok;
using kmux::Status;

constexpr std::uint64_t kMaxFiberThreads = 1024;           // of a block, as in runtime/launch.cpp
constexpr std::uint64_t kMaxFiberSharedBytes = 227 << 10;

struct LaunchMemory {
  std::span<const kmux_cpu_extent> extents;
  std::uint64_t dynamic_bytes = 0;
};
thread_local LaunchMemory launch_memory;

Status run_on_fibers(const kmux_cpu_grid& launch, kmux_cpu_thread thread, const void* arguments,
                     const kmux_cpu_fiber_kernel& kernel) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0 || threads > kMaxFiberThreads) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a block of " + std::to_string(threads) + " threads (there are 1 to 1024). Use a smaller block.");
  }
  const LaunchMemory memory = std::exchange(launch_memory, {});
  const std::uint64_t dynamic_bytes = kernel.is_checked != 0 ? memory.dynamic_bytes : launch.dynamic_bytes;
  if (dynamic_bytes > kMaxFiberSharedBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(dynamic_bytes) + " bytes of shared memory (there are 232448). Use less.");
  }
  kmux::simt::FiberLaunch run(launch, thread, arguments, kernel, memory.extents, dynamic_bytes);
  if (run.shared_bytes() > kMaxFiberSharedBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(run.shared_bytes()) + " bytes of shared memory (there are 232448). Use less.");
  }
  return run.run();
}

}  // namespace

int kmux_cpu_run_fibers(const kmux_cpu_grid* launch, kmux_cpu_thread thread, const void* arguments,
                        const kmux_cpu_fiber_kernel* kernel) {
  Status status = Ok{};
  const kmux::simt::OwnArithmetic arithmetic;
  try {
    status = run_on_fibers(*launch, thread, arguments, *kernel);
  } catch (const std::bad_alloc&) {
    status = make_error(
        ErrorCode::kOutOfMemory,
        "the machine has no memory left for the threads of a block, which have a stack and two memory mappings "
        "each. Use smaller blocks, free some, or raise the limit of mappings (sysctl vm.max_map_count).");
  }
  return status ? KMUX_OK : kmux::write_error(status.error(), launch->error);
}

void kmux_cpu_memory(const kmux_cpu_extent* extents, std::uint64_t count, std::uint64_t dynamic_bytes) {
  launch_memory = {{extents, count}, dynamic_bytes};
}

namespace kmux::simt {
namespace {

FiberLaunch& current() { return FiberLaunch::current(); }

template <unsigned axis>
unsigned thread_index() {
  return current().thread().index[axis];
}
template <unsigned axis>
unsigned block_index() {
  return current().block().index[axis];
}
template <unsigned axis>
unsigned block_extent() {
  return current().launch().block[axis];
}
template <unsigned axis>
unsigned grid_extent() {
  return current().launch().grid[axis];
}
template <unsigned axis>
unsigned cluster_extent() {
  return current().cluster()[axis];
}

unsigned lane() { return current().thread().lane(); }
void barrier() { current().wait_at_barrier(); }
void grid_barrier() { current().wait_for_grid(); }
unsigned cooperative() { return current().launch().is_cooperative; }
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

void check_stack(const char* function) { current().check_stack(function); }
void check_array(const char* function, std::uint64_t bytes) { current().check_array(function, bytes); }

void poll() {
  if (FiberLaunch::is_any()) current().poll();
}

void offer(unsigned is_undefined) { current().thread().undefined.is_offered = is_undefined != 0; }
unsigned taken() { return current().thread().undefined.is_taken ? 1 : 0; }
void returns(unsigned is_undefined) { current().thread().undefined.is_returned = is_undefined != 0; }
unsigned returned() { return current().thread().undefined.is_returned ? 1 : 0; }
void check_undefined(unsigned is_undefined, const kmux_cpu_site* site) {
  if (is_undefined != 0) current().find_undefined(site);
}

void check_quotient(unsigned is_by_zero, unsigned overflows, const kmux_cpu_site* site) {
  if ((is_by_zero | overflows) != 0 && FiberLaunch::is_any()) current().find_quotient(is_by_zero != 0, site);
}

void check_registers(unsigned is_early_use, const kmux_cpu_site* product, const kmux_cpu_site* other) {
  current().find_register(is_early_use != 0, product, other);
}

void at_site(const kmux_cpu_site* site) { current().thread().site = site; }

char* check_access(const char* address, const char* base, std::uint64_t bytes, std::uint64_t alignment, unsigned kind,
                   std::uint64_t value, const kmux_cpu_site* site) {
  if (!FiberLaunch::is_any()) return const_cast<char*>(address);
  FiberLaunch& launch = current();
  if ((kind & (access_kind::kAtomic | access_kind::kVolatile)) != 0) launch.poll();
  return launch.check()->check(launch.thread(), {address, base, bytes, alignment, kind, value, site});
}

char* check_variable(const char* address, const char* base, std::uint64_t bytes, std::uint64_t size, unsigned kind,
                     const kmux_cpu_site* site) {
  if (!FiberLaunch::is_any()) return const_cast<char*>(address);
  FiberLaunch& launch = current();
  return launch.check()->check_variable(launch.thread(), {address, base, bytes, 1, kind, 0, site}, size);
}

void check_record(const char* to, const char* from, std::uint64_t bytes, const kmux_cpu_site* site) {
  if (!FiberLaunch::is_any()) return;
  FiberLaunch& launch = current();
  launch.check()->check_record(launch.thread(), {from, from, bytes, 1, access_kind::kRead, 0, site}, to);
}

// Skips invalid copies, as check_fill does invalid fills.
void check_copy(char* to, const char* to_base, std::uint64_t to_alignment, const char* from, const char* from_base,
                std::uint64_t from_alignment, std::uint64_t bytes, const kmux_cpu_site* site) {
  constexpr unsigned kPassOn = access_kind::kRead | access_kind::kPassedOn;
  const bool may_be =
      !FiberLaunch::is_any() ||
      current().check()->check_copy(current().thread(), {from, from_base, bytes, from_alignment, kPassOn, 0, site},
                                    {to, to_base, bytes, to_alignment, access_kind::kWrite, 0, site});
  if (may_be) std::memmove(to, from, bytes);
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
      {"kmux.cluster_dim.x", address_of(&cluster_extent<0>)},
      {"kmux.cluster_dim.y", address_of(&cluster_extent<1>)},
      {"kmux.cluster_dim.z", address_of(&cluster_extent<2>)},
      {"kmux.lane", address_of(&lane)},
      {"kmux.barrier", address_of(&barrier)},
      {"kmux.grid_barrier", address_of(&grid_barrier)},
      {"kmux.cooperative", address_of(&cooperative)},
      {"kmux.dynamic", address_of(&dynamic_memory)},
      {"kmux.shared", address_of(&shared_memory)},
      {"kmux.participants", address_of(&participants)},
      {"kmux.sync_warp", address_of(&sync_warp)},
      {"kmux.shuffle", address_of(&shuffle)},
      {"kmux.ballot", address_of(&ballot)},
      {"kmux.poll", address_of(&poll)},
      {"kmux.check.stack", address_of(&check_stack)},
      {"kmux.check.array", address_of(&check_array)},
      {"kmux.check.site", address_of(&at_site)},
      {"kmux.check.offer", address_of(&offer)},
      {"kmux.check.taken", address_of(&taken)},
      {"kmux.check.returns", address_of(&returns)},
      {"kmux.check.returned", address_of(&returned)},
      {"kmux.check.undefined", address_of(&check_undefined)},
      {"kmux.check.quotient", address_of(&check_quotient)},
      {"kmux.check.registers", address_of(&check_registers)},
      {"kmux.check.access", address_of(&check_access)},
      {"kmux.check.variable", address_of(&check_variable)},
      {"kmux.check.record", address_of(&check_record)},
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

}  // namespace kmux::simt
