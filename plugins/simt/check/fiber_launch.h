#pragma once

#include <cstdint>
#include <string_view>

#include "simt/runtime/launch.h"

extern "C" {

/// A line of a kernel's sources.
struct kmux_cpu_site {
  const char* file;
  unsigned line;
  const char* caller_file;  // the kernel's line, if this one is inlined from another file; else null
  unsigned caller_line;
};

/// A static shared variable. One that the kernel does not reach has no bytes.
struct kmux_cpu_variable {
  const char* name;
  std::uint64_t bytes;
  std::uint64_t alignment;
};

/// Memory that a launch may access. The extent behind a bare pointer is not known: `bytes` is kmux_cpu_any then.
struct kmux_cpu_extent {
  const char* name;
  const void* begin;
  std::uint64_t bytes;
};
inline constexpr std::uint64_t kmux_cpu_any = ~std::uint64_t{0};

/// The facts of a kernel that its code passes to the runtime.
struct kmux_cpu_fiber_kernel {
  const char* name;
  const kmux_cpu_variable* shared;
  std::uint64_t shared_count;
  const kmux_cpu_extent* globals;  // variables of its sources
  std::uint64_t global_count;
  unsigned is_checked;
  unsigned seed;  // of the order of threads; 0: in the order of their numbers
  std::uint64_t array_bytes;  // that the variables of a thread may need on its stack
};

/// A kernel for one thread, which queries its index (fiber_call).
using kmux_cpu_thread = void (*)(const void* arguments);

/// Runs all threads of `launch`, each with its own stack; called by the code of kernels. Returns 0, or a kmux_code
/// after writing to the launch's `error`: launch_failed with a note for each finding if the kernel is checked.
///
/// Threads: any, each with separate launches.
int kmux_cpu_run_fibers(const kmux_cpu_grid* launch, kmux_cpu_thread thread, const void* arguments,
                        const kmux_cpu_fiber_kernel* kernel);

/// Sets the memory that the next launch of this thread may access; called by the launcher of a checked kernel.
/// `extents` must be valid during that launch. `dynamic_bytes` of shared memory are those that the launch requests, not
/// rounded up.
void kmux_cpu_memory(const kmux_cpu_extent* extents, std::uint64_t count, std::uint64_t dynamic_bytes);
}

namespace kmux::simt {

/// Returns the address of the function `symbol` that code on fibers calls, or null for other symbols. The functions are
/// those of simt/analysis/thread_calls.h for one thread, and those of check/fiber_kernels.h.
void* fiber_call(std::string_view symbol);

/// The kinds of memory access: bits that code of kernels passes by value (check/instrument.cpp).
namespace access_kind {
inline constexpr unsigned kRead = 1;
inline constexpr unsigned kWrite = 2;
inline constexpr unsigned kAtomic = 4;
inline constexpr unsigned kHasValue = 8;  // a write of `value`, of at most 8 bytes
inline constexpr unsigned kPassedOn = 16;  // a read whose value is only written elsewhere: it may be uninitialised
inline constexpr unsigned kVolatile = 32;  // a thread may wait for another one by polling it
}  // namespace access_kind

/// One access by the code of a kernel.
struct MemoryAccess {
  const char* address;
  const char* base;  // the pointer that the address was computed from, as far as the code shows
  std::uint64_t bytes;
  std::uint64_t alignment;  // that the code assumes
  unsigned kind;
  std::uint64_t value;
  const kmux_cpu_site* site;

  bool is(unsigned what) const { return (kind & what) != 0; }
  const char* verb() const {
    if (!is(access_kind::kWrite)) return "reads";
    return is(access_kind::kRead) ? "updates" : "writes";
  }
};

}  // namespace kmux::simt
