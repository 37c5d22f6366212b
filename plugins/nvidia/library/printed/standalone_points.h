#pragma once

// The functions that an exported library calls, over the launcher of the preceding text. A caller without a runtime
// provides no memory for workspaces: they come from the device's default pool.
#include "nvidia/library/printed/entry_points.h"

/// Loads the code for a device, if not yet loaded.
extern "C" int kmux_standalone_prepare(int device, kmux_sink error) {
  return kmux::nvidia::kept.launcher.prepare(device, error);
}

/// Runs the body; the workspaces come from the pool unless `env` has an allocator.
extern "C" int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  if (env->allocator != nullptr) return kmux::nvidia::run(slots, *env, error);
  kmux_launch_env own = *env;
  own.allocator = &kmux::nvidia::workspace_allocator;
  return kmux::nvidia::run(slots, own, error);
}

/// Unloads the code. The next call loads it again.
///
/// Threads: no thread may be in another function.
extern "C" void kmux_standalone_close(void) {
  kmux::nvidia::open_again(kmux::nvidia::Log{nullptr, nullptr}, /*ranges=*/false, kmux::nvidia::own_persisting_lines(),
                           /*blocking=*/false);
}
