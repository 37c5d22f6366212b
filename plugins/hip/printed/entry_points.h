#pragma once

// The exports of a library that runs a program without kmux, over its one `Launcher`. The program's own part and the
// launch layer precede this text; the program's code and facts follow it.
#include <atomic>
#include <new>
#include <stdlib.h>
#include <string>

#include "kmux/plugin/standalone_calls.h"

#include "launch/launcher.h"
#include "printed/pool_allocator.h"

extern "C" {
int kmux_launch_body(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
extern const unsigned char kmux_hip_code[];
}

namespace kmux::hip {

extern const PlanFacts program_facts;

namespace {

thread_local StandaloneThread standalone_thread;
std::atomic<unsigned> lane_count{0};

// Returns where the user's environment places HIP's runtime; read once.
const HipPlaces& said_places() {
  static const HipPlaces& said = *[] {
    auto* const places = new HipPlaces;
    if (const char* const library = secure_getenv("KMUX_HIP_LIBRARY")) places->library = library;
    for (const char* const name : {"ROCM_PATH", "HIP_PATH"}) {
      const char* const root = secure_getenv(name);
      if (root != nullptr && *root != '\0') places->folders.push_back(std::string(root) + "/lib");
    }
    return places;
  }();
  return said;
}

// Closed by `kmux_standalone_close` and not at the end of the process, when the runtime may already be gone.
union KeptLauncher {
  KeptLauncher() : launcher(kmux_hip_code, program_facts, said_places(), Log{nullptr, nullptr}) {}
  ~KeptLauncher() {}
  Launcher launcher;
};
KeptLauncher& kept() {
  static KeptLauncher one;
  return one;
}

// Workspaces of calls without an allocator.
PoolAllocator pool_allocator(said_places);
const kmux_allocator workspace_allocator = pool_allocator.api();

int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
  kmux_launch_env own = {sizeof own, env.device, env.stream, env.allocator, env.lane, 0};
  if (own.allocator == nullptr) own.allocator = &workspace_allocator;
  return kept().launcher.call(own, error, [slots](const kmux_driver_env& driver_env, kmux_sink sink) {
    return kmux_launch_body(slots, &driver_env.env, sink);
  });
}

/// The parameter of kmux::call_standalone.
struct Library {
  // Returns the device that is current on this thread in `device`.
  static int find_device(int* device, kmux_sink error) {
    const HipTable* const hip = open_hip(said_places(), error);
    if (hip == nullptr) return KMUX_UNAVAILABLE;
    return check_call(*hip, error, "hipGetDevice", hip->device_get(device), "");
  }
  static int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
    return hip::run(slots, env, error);
  }
  static int prepare(int device, kmux_sink error) { return kept().launcher.prepare(device, error); }
  static const kmux_allocator* allocator() { return &workspace_allocator; }
};

}  // namespace
}  // namespace kmux::hip

static int kmux_call_alone(const kmux_slot* slots, void* stream) {
  return kmux::call_standalone<kmux::hip::Library>(kmux::hip::standalone_thread, kmux::hip::lane_count, slots, stream);
}

extern "C" {
#define KMUX_EXPORT __attribute__((visibility("default")))
#define KMUX_HIDDEN __attribute__((visibility("hidden")))

/// Loads the code for the current device. Returns 0, or -1 with a text in get_last_error().
KMUX_EXPORT int init(void) { return kmux::prepare_standalone<kmux::hip::Library>(kmux::hip::standalone_thread); }

/// Returns the error of this thread's last `init` or `call`; empty if it succeeded. Valid until the next one.
KMUX_EXPORT const char* get_last_error(void) { return kmux::hip::standalone_thread.error.text(); }

/// For programs that link this unit: returns 0, or an ErrorCode after writing to `error`.
KMUX_HIDDEN int kmux_standalone_prepare(int device, kmux_sink error) {
  return kmux::hip::kept().launcher.prepare(device, error);
}
KMUX_HIDDEN int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  return kmux::hip::run(slots, *env, error);
}
/// Waits for all launches and unloads the code. Must be the last call.
KMUX_HIDDEN void kmux_standalone_close(void) { kmux::hip::kept().launcher.~Launcher(); }

#undef KMUX_EXPORT
#undef KMUX_HIDDEN
}
