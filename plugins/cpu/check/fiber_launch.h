#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/launch.h"

extern "C" {

/// A line of a kernel's sources.
struct kmux_cpu_site {
  const char* file;
  unsigned line;
};

/// A static shared variable. One that the kernel does not reach has no bytes.
struct kmux_cpu_variable {
  const char* name;
  std::uint64_t bytes;
};

/// Memory that a launch may use. Of what is at a bare pointer nobody knows the extent: `bytes` is kmux_cpu_any then.
struct kmux_cpu_extent {
  const char* name;
  const void* begin;
  std::uint64_t bytes;
};
inline constexpr std::uint64_t kmux_cpu_any = ~std::uint64_t{0};

/// What the code of a kernel says of itself.
struct kmux_cpu_fiber_kernel {
  const char* name;
  const kmux_cpu_variable* shared;
  std::uint64_t shared_count;
  const kmux_cpu_extent* globals;  // variables of its sources
  std::uint64_t global_count;
  unsigned is_checked;
  unsigned seed;  // of the order of threads; 0: as they are numbered
  std::uint64_t array_bytes;  // that a thread's variables may take on its stack
};

/// A kernel for one thread, whose index it asks for (fiber_call).
using kmux_cpu_thread = void (*)(const void* arguments);

/// Runs all threads of `launch`, each with a stack of its own; called by the code of kernels. Returns 0 or a kmux_code after
/// writing to the launch's `error`: launch_failed with a note for each finding where the kernel is checked.
///
/// Threads: any, each with launches of its own.
int kmux_cpu_run_fibers(const kmux_cpu_grid* launch, kmux_cpu_thread thread, const void* arguments,
                        const kmux_cpu_fiber_kernel* kernel);

/// Says what memory the next launch of this thread may use; called by the launcher of a checked kernel. `extents` is read
/// during that launch; `dynamic_bytes` of shared memory are what the launch asks for, not made whole.
void kmux_cpu_memory(const kmux_cpu_extent* extents, std::uint64_t count, std::uint64_t dynamic_bytes);
}

namespace kmux::cpu {

/// What is checked while kernels written for one thread of a GPU run.
struct CheckOptions {
  bool memory = false;  // memory, barriers and warps: option check=on
  unsigned seed = 0;  // of the order of threads; 0: as they are numbered
  bool operator==(const CheckOptions&) const = default;
};

/// The address of the function `symbol` that code on fibers calls: those of spmd/thread_calls.h for one thread, and those of
/// check/fiber_kernels.h; null if it is none of them.
void* fiber_call(std::string_view symbol);

/// How code touches memory; bits that code of kernels passes by value (check/instrument.cpp).
namespace access_kind {
inline constexpr unsigned kRead = 1;
inline constexpr unsigned kWrite = 2;
inline constexpr unsigned kAtomic = 4;
inline constexpr unsigned kHasValue = 8;  // a write of `value`, of at most 8 bytes
inline constexpr unsigned kPassedOn = 16;  // a read of what is only written elsewhere: it may mean nothing
inline constexpr unsigned kVolatile = 32;  // a thread may wait for another one by it
}  // namespace access_kind

/// One access by the code of a kernel.
struct MemoryAccess {
  const char* address;
  const char* base;  // what the address was computed from, as far as the code shows it
  std::uint64_t bytes;
  std::uint64_t alignment;  // that the code relies on
  unsigned kind;
  std::uint64_t value;
  const kmux_cpu_site* site;

  bool is(unsigned what) const { return (kind & what) != 0; }
  const char* verb() const {
    if (!is(access_kind::kWrite)) return "reads";
    return is(access_kind::kRead) ? "updates" : "writes";
  }
};

}  // namespace kmux::cpu
