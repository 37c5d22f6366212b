#pragma once

// What a library exports that runs a program without kmux, over the one `Launcher` that it has. Before this text stand the
// program's own part and the launch layer; after it, the program's code and facts.
#include <atomic>
#include <new>
#include <stdlib.h>
#include <string>

#include "launch/launcher.h"
#include "printed/pool_allocator.h"

extern "C" {
int kmux_launch_body(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);
extern const unsigned char kmux_hip_code[];
}

namespace kmux::hip {

extern const PlanFacts program_facts;

namespace {

thread_local std::string last_error;
thread_local unsigned own_lane;  // plus one
std::atomic<unsigned> lane_count{0};

kmux_sink sink_of_last_error() {
  last_error.clear();
  return {&last_error, [](void* self, const char* data, size_t size) {
            return static_cast<std::string*>(self)->append(data, size), 0;
          }};
}

// Where the user says that HIP's runtime is; read once.
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

// Closed by `kmux_standalone_close` and not by the end of the process, when the runtime may be gone.
union KeptLauncher {
  KeptLauncher() : launcher(kmux_hip_code, program_facts, said_places(), Log{nullptr, nullptr}) {}
  ~KeptLauncher() {}
  Launcher launcher;
};
KeptLauncher& kept() {
  static KeptLauncher one;
  return one;
}

// Workspaces of calls that bring no allocator.
PoolAllocator pool_allocator(said_places);
const kmux_allocator workspace_allocator = pool_allocator.api();

int run(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) {
  kmux_launch_env own = {sizeof own, env.device, env.stream, env.allocator, env.lane, 0};
  if (own.allocator == nullptr) own.allocator = &workspace_allocator;
  return kept().launcher.call(own, error, [slots](const kmux_driver_env& driver_env, kmux_sink sink) {
    return kmux_launch_body(slots, &driver_env.env, sink);
  });
}

// The device that is current on this thread.
int find_own_device(int* device, kmux_sink error) {
  const HipTable* const hip = open_hip(said_places(), error);
  if (hip == nullptr) return KMUX_UNAVAILABLE;
  return check_call(*hip, error, "hipGetDevice", hip->device_get(device), "");
}

int call_alone(const kmux_slot* slots, void* stream) {
  const kmux_sink error = sink_of_last_error();
  int device = 0;
  if (find_own_device(&device, error) != KMUX_OK) return -1;
  if (own_lane == 0) own_lane = ++lane_count;
  return run(slots, {sizeof(kmux_launch_env), device, stream, nullptr, own_lane - 1, 0}, error) == KMUX_OK ? 0 : -1;
}

int prepare_alone() {
  const kmux_sink error = sink_of_last_error();
  int device = 0;
  if (find_own_device(&device, error) != KMUX_OK) return -1;
  return kept().launcher.prepare(device, error) == KMUX_OK ? 0 : -1;
}

}  // namespace
}  // namespace kmux::hip

static int kmux_call_alone(const kmux_slot* slots, void* stream) { return kmux::hip::call_alone(slots, stream); }

extern "C" {
#define KMUX_EXPORT __attribute__((visibility("default")))
#define KMUX_HIDDEN __attribute__((visibility("hidden")))

/// Loads the code for the current device. 0, or -1 with a text.
KMUX_EXPORT int init(void) { return kmux::hip::prepare_alone(); }

/// What went wrong in this thread's last `init` or `call`; empty if nothing did.
KMUX_EXPORT const char* get_last_error(void) { return kmux::hip::last_error.c_str(); }

/// For programs that link this unit: 0, or an ErrorCode after writing to `error`.
KMUX_HIDDEN int kmux_standalone_prepare(int device, kmux_sink error) {
  return kmux::hip::kept().launcher.prepare(device, error);
}
KMUX_HIDDEN int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  return kmux::hip::run(slots, *env, error);
}
/// Waits for what was launched and unloads the code. Nothing may be called after it.
KMUX_HIDDEN void kmux_standalone_close(void) { kmux::hip::kept().launcher.~Launcher(); }

#undef KMUX_EXPORT
#undef KMUX_HIDDEN
}
