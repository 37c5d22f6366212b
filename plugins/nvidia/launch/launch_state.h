#pragma once

#include <atomic>

#include "kmux/plugin/lane_states.h"

#include "nvidia/launch/replay.h"
#include "nvidia/launch/tensor_map.h"

namespace kmux::nvidia {

/// The state that the calls of one lane keep from call to call. It does not share cache lines, so lanes do not slow
/// each other.
struct alignas(64) LaunchState {
  std::atomic<bool> taken{false};
  unsigned map_count = 0;
  MapSlot* maps = nullptr;
  Replay replay;

  /// Returns the slot of map `index`; null if there is no such slot.
  MapSlot* map(unsigned index) { return index < map_count ? &maps[index] : nullptr; }
};

/// A launch argument that is tensor map number `map`, over slot `slot`, with constant shape.
struct MapArgument {
  unsigned map;
  unsigned slot;
  unsigned argument;
};

/// Points the arguments at the maps that `state` keeps. Returns false if a map is missing or is of another address.
inline bool place_kept_maps(const LaunchState* state, const MapArgument* maps, unsigned count, const kmux_slot* slots,
                            void** args) {
  if (state == nullptr) return false;
  for (unsigned i = 0; i < count; ++i) {
    MapSlot& kept = state->maps[maps[i].map];
    if (!kept.valid || kept.base != slots[maps[i].slot].ptr) return false;
    args[maps[i].argument] = &kept.map;
  }
  return true;
}

/// The launch states of one launcher, for all devices: maps are keyed by value, a replay is bound to one device.
///
/// Threads: see LaneStates; `make` must precede all calls and `close` must follow them, without concurrent ones.
class LaunchStates : public LaneStates<LaunchState> {
 public:
  /// Creates states with `map_count` map slots and replays of `step_count` steps; 0 means no replay. Does nothing if
  /// both are 0, or if states exist. Graphs that `close` does not destroy are leaked.
  ///
  /// Errors: unavailable without memory.
  int make(unsigned map_count, unsigned step_count, kmux_sink error);

  /// Destroys the graphs of all states. Returns the first failure.
  ReplayFailure close(const DriverTable& driver);

 private:
  AlignedArray<MapSlot> maps_;  // map_count for each state
  AlignedArray<ReplayNode> nodes_;  // step_count for each state
};

/// Owns a launch state for the duration of a call.
using StateLease = LaneLease<LaunchState>;

}  // namespace kmux::nvidia
