#pragma once

#include <cstdint>

#include "simt/runtime/processor.h"

namespace kmux::simt {

/// As kmux_host_api::interrupted: returns nonzero if the launch of the calling thread must end early.
using Interrupted = std::int32_t (*)(void* self);

/// The error message of an interrupted launch, of code KMUX_CANCELLED.
constexpr char kInterruptionMessage[] =
    "the launch was interrupted (blocks remain that did not run). Discard its outputs, or repeat the call.";

/// Sets the function that long launches call; null: every launch runs to its end. `self` must stay the same while any thread launches.
///
/// Threads: any.
void set_interrupted(Interrupted function, void* self);

/// The interruption of one launch. Calls the host at most every 20 ms, so never in a shorter launch.
///
/// Threads: the one that launches.
class Interruption {
 public:
  Interruption();
  /// Returns true once the host has interrupted the launch.
  bool is_requested() { return is_requested_ || (ticks() >= next_ && query_host()); }

 private:
  bool query_host();

  std::uint64_t next_;  // tick of the next call of the host
  bool is_requested_ = false;
};

}  // namespace kmux::simt
