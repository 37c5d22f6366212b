#pragma once

// The functions that a launcher exports, over its one `Launcher`. The program's own part and the launch layer precede
// this text; the program's code and facts follow it.
#include <atomic>
#include <new>

#include "kmux/plugin/standalone_calls.h"

#include "nvidia/launch/launcher.h"
#include "nvidia/library/printed/pool_allocator.h"

extern "C" {
int kmux_launch_body(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
extern const unsigned char kmux_cubin[];
}

namespace kmux::nvidia {

extern const PlanFacts program_facts;

namespace {

thread_local StandaloneThread standalone_thread;
std::atomic<unsigned> lane_count{0};
PoolAllocator pool_allocator;
const kmux_allocator workspace_allocator = pool_allocator.api();

// Closed by `kmux_launcher_close` and not at the end of the process, when the driver may already be gone.
union KeptLauncher {
  KeptLauncher() : launcher(kmux_cubin, program_facts, Log{nullptr, nullptr}) {}
  ~KeptLauncher() {}
  Launcher launcher;
};
KeptLauncher kept;

void open_again(Log log, bool ranges, PersistingLines& lines, bool blocking) {
  PlanFacts facts = program_facts;
  facts.ranges = ranges;
  facts.blocking = blocking;
  kept.launcher.~Launcher();  // nothing is loaded yet
  new (&kept.launcher) Launcher(kmux_cubin, facts, log, nullptr, lines);
}

__attribute__((always_inline)) inline int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
#ifdef KMUX_LAUNCHES_ONCE
  return kmux_launch_body(slots, &env, error);
#else
  return kept.launcher.call(env, error, [slots](const kmux_driver_env& driver_env, kmux_sink sink) {
    return kmux_launch_body(slots, &driver_env.env, sink);
  });
#endif
}

/// The parameter of kmux::call_standalone.
struct Library {
  // Finds the device whose context is current, or the first one. The driver numbers devices by their ordinals.
  static int find_device(int* device, kmux_sink error) {
    const DriverTable* driver = open_driver(error);
    if (driver == nullptr) return KMUX_UNAVAILABLE;
    *device = 0;
    CUcontext context = nullptr;
    CUresult result = driver->current_get(&context);
    if (result != CUDA_SUCCESS) return fail_call(*driver, error, "cuCtxGetCurrent", result, "%s", "");
    if (context == nullptr) return KMUX_OK;
    result = driver->current_device(device);
    return result == CUDA_SUCCESS ? KMUX_OK : fail_call(*driver, error, "cuCtxGetDevice", result, "%s", "");
  }
  static int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
    return nvidia::run(slots, env, error);
  }
  static int prepare(int device, kmux_sink error) { return kept.launcher.prepare(device, error); }
  static const kmux_allocator* allocator() { return &workspace_allocator; }
};

}  // namespace
}  // namespace kmux::nvidia

#ifdef KMUX_LAUNCHES_ONCE
/// The single launch of a body, with no driver table between: the only memory written for it is what the driver reads.
static __attribute__((always_inline)) inline int kmux_launch_kernel(const kmux_launch_env* env,
                                                                    const kmux_driver_launch& launch, kmux_sink error) {
  return kmux::nvidia::kept.launcher.launch<kmux::nvidia::copy_of>(*env, launch, error);
}
#endif

static int kmux_call_alone(const kmux_slot* slots, void* stream) {
  return kmux::call_standalone<kmux::nvidia::Library>(kmux::nvidia::standalone_thread, kmux::nvidia::lane_count, slots,
                                                      stream);
}

extern "C" {
#define KMUX_EXPORT __attribute__((visibility("default")))

/// Loads the code and prepares the device whose context is current, or the first. Returns 0, or -1 with a text in get_last_error().
KMUX_EXPORT int init(void) { return kmux::prepare_standalone<kmux::nvidia::Library>(kmux::nvidia::standalone_thread); }

/// Returns the error of this thread's last `init`, `call` or other call; empty if it succeeded. Valid until the next one.
KMUX_EXPORT const char* get_last_error(void) { return kmux::nvidia::standalone_thread.error.text(); }

/// For kmux's runtime; must precede all other calls: sets the log, whether profilers see ranges, the state shared by
/// the launchers of a plugin, and whether each launch blocks until it has completed.
KMUX_EXPORT void* kmux_launcher_open(kmux::nvidia::Log log, bool ranges, kmux::nvidia::PersistingLines* lines,
                                     bool blocking) {
  kmux::nvidia::open_again(log, ranges, *lines, blocking);
  return &kmux::nvidia::kept.launcher;
}

/// For kmux's runtime: returns 0, or an ErrorCode after writing to `error`.
KMUX_EXPORT int kmux_launcher_prepare(int device, kmux_sink error) {
  return kmux::nvidia::kept.launcher.prepare(device, error);
}
/// For kmux's runtime: returns the address of a variable of the code on a device, and its size in bytes.
KMUX_EXPORT int kmux_launcher_variable(int device, const char* symbol, void** address, uint64_t* bytes,
                                       kmux_sink error) {
  return kmux::nvidia::kept.launcher.find_variable(device, symbol, address, bytes, error);
}
/// The entry in a plugin's table; its first argument is ignored, since only one launcher exists.
KMUX_EXPORT __attribute__((hot, aligned(64))) int kmux_launcher_call(void*, const kmux_slot* slots,
                                                                     const kmux_launch_env* env, kmux_sink error) {
  return kmux::nvidia::run(slots, *env, error);
}

/// Waits for all launches and unloads the code. Must be the last call.
KMUX_EXPORT void kmux_launcher_close(void) { kmux::nvidia::kept.launcher.~Launcher(); }

#undef KMUX_EXPORT
}
