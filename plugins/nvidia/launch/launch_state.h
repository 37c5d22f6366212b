#pragma once

#include <atomic>

#include "nvidia/launch/replay.h"
#include "nvidia/launch/tensor_map.h"

namespace kmux::nvidia {

/// What the calls of one lane keep from call to call. On cache lines of its own, so that lanes do not slow each other.
struct alignas(64) LaunchState {
  std::atomic<bool> taken{false};
  unsigned map_count = 0;
  MapSlot* maps = nullptr;
  Replay replay;

  /// The slot of map `index`; null if there is none.
  MapSlot* map(unsigned index) { return index < map_count ? &maps[index] : nullptr; }
};

/// An argument of a launch that is tensor map number `map`, over slot `slot`, its shape a constant.
struct MapArgument {
  unsigned map;
  unsigned slot;
  unsigned argument;
};

/// Points the arguments at the maps that `state` keeps: false where it has none, or one over another address.
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
/// Threads: `take` and `give_back` any; `make` and `close` one, before and after those.
class LaunchStates {
 public:
  static constexpr unsigned kCount = 64;

  LaunchStates() = default;
  LaunchStates(const LaunchStates&) = delete;
  LaunchStates& operator=(const LaunchStates&) = delete;
  /// Frees the memory; graphs that `close` did not destroy are leaked.
  ~LaunchStates();

  /// Makes states with `map_count` map slots and replays of `step_count` steps; 0 means no replay. None are made where both
  /// are 0, and none a second time.
  ///
  /// Errors: unavailable without memory.
  int make(unsigned map_count, unsigned step_count, kmux_sink error);

  /// The state of `lane`, now the caller's; null where there are none or another thread has it: it does not wait.
  LaunchState* take(unsigned lane) {
    if (__builtin_expect(states_ == nullptr, 1)) return nullptr;
    LaunchState& state = states_[lane % kCount];
    return state.taken.exchange(true, std::memory_order_acquire) ? nullptr : &state;
  }
  static void give_back(LaunchState* state) {
    if (state != nullptr) state->taken.store(false, std::memory_order_release);
  }

  /// Destroys the graphs of all states. Returns the first failure.
  ReplayFailure close(const DriverTable& driver);

 private:
  void clear();

  LaunchState* states_ = nullptr;
  MapSlot* maps_ = nullptr;  // map_count_ a state
  ReplayNode* nodes_ = nullptr;  // step_count_ a state
  unsigned map_count_ = 0;
  unsigned step_count_ = 0;
};

/// A launch state for the length of a call.
class StateLease {
 public:
  StateLease(LaunchStates& states, unsigned lane) : state_(states.take(lane)) {}
  StateLease(const StateLease&) = delete;
  StateLease& operator=(const StateLease&) = delete;
  ~StateLease() { LaunchStates::give_back(state_); }

  /// Null where the call has none.
  LaunchState* get() const { return state_; }

 private:
  LaunchState* state_;
};

}  // namespace kmux::nvidia
