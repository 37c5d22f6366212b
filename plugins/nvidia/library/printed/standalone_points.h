#pragma once

// The functions that an exported library calls, over the launcher of the text before it. A caller without a runtime
// brings no memory for workspaces: the device's own pool has it.
#include "nvidia/library/printed/entry_points.h"

/// Loads the code for a device, where it is not loaded yet.
extern "C" int kmux_standalone_prepare(int device, kmux_sink error) {
  return kmux::nvidia::kept.launcher.prepare(device, error);
}

/// Runs the body; the workspaces are the pool's unless `env` has an allocator.
extern "C" int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  if (env->allocator != nullptr) return kmux::nvidia::run(slots, *env, error);
  kmux_launch_env own = *env;
  own.allocator = &kmux::nvidia::workspace_allocator;
  return kmux::nvidia::run(slots, own, error);
}

/// Unloads the code. What comes after it loads it anew.
///
/// Threads: none may be in another function.
extern "C" void kmux_standalone_close(void) {
  kmux::nvidia::open_again(kmux::nvidia::Log{nullptr, nullptr}, /*ranges=*/false, kmux::nvidia::own_persisting_lines(),
                           /*blocking=*/false);
}
