#include "check/fiber_launch.h"

#include <new>
#include <span>
#include <string>

#include "kmux/plugin/plugin.hpp"

#include "check/fiber_block.h"

namespace {

using kmux::Error;
using kmux::ErrorCode;
using kmux::make_error;
using kmux::Ok;
using kmux::Status;

constexpr std::uint64_t kMostFiberThreads = 1024;           // of a block, as runtime/launch.cpp has it
constexpr std::uint64_t kMostFiberSharedBytes = 227 << 10;

struct LaunchMemory {
  std::span<const kmux_cpu_extent> extents;
  std::uint64_t dynamic_bytes = 0;
};
thread_local LaunchMemory launch_memory;

Status run_on_fibers(const kmux_cpu_grid& launch, kmux_cpu_thread thread, const void* arguments,
                     const kmux_cpu_kernel& kernel) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0 || threads > kMostFiberThreads) {
    return make_error(ErrorCode::kInvalidArgument,
                      "a block of " + std::to_string(threads) + " threads (there are 1 to 1024). Use a smaller block.");
  }
  const LaunchMemory memory = std::exchange(launch_memory, {});
  const std::uint64_t dynamic_bytes = kernel.is_checked != 0 ? memory.dynamic_bytes : launch.dynamic_bytes;
  if (dynamic_bytes > kMostFiberSharedBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(dynamic_bytes) + " bytes of shared memory (there are 232448). Use less.");
  }
  kmux::cpu::FiberLaunch run(launch, thread, arguments, kernel, memory.extents, dynamic_bytes);
  if (run.shared_bytes() > kMostFiberSharedBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::to_string(run.shared_bytes()) + " bytes of shared memory (there are 232448). Use less.");
  }
  return run.run();
}

}  // namespace

int kmux_cpu_run_fibers(const kmux_cpu_grid* launch, kmux_cpu_thread thread, const void* arguments,
                        const kmux_cpu_kernel* kernel) {
  Status status = Ok{};
  try {
    status = run_on_fibers(*launch, thread, arguments, *kernel);
  } catch (const std::bad_alloc&) {
    status = make_error(ErrorCode::kUnavailable,
                        "the machine has no memory left for the threads of a block. Use smaller blocks or free some.");
  }
  return status ? KMUX_OK : kmux::write_error(status.error(), launch->error);
}

void kmux_cpu_memory(const kmux_cpu_extent* extents, std::uint64_t count, std::uint64_t dynamic_bytes) {
  launch_memory = {{extents, count}, dynamic_bytes};
}
