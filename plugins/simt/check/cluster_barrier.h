#pragma once

#include <cstdint>

#include "simt/check/clocks.h"

namespace kmux::simt {

/// The barrier of a cluster, which all of its threads that have not ended arrive at. Its generation changes then.
struct ClusterBarrier {
  std::uint64_t generation = 0;
  unsigned arrived = 0;
  unsigned live = 0;  // threads
  BarrierClock clock = {};

  /// Counts an arrival. Returns true if it was the last one.
  bool arrive() {
    ++arrived;
    return complete();
  }
  /// Notes that a thread has ended; `has_arrived`: in this generation. Returns true if all others have arrived.
  bool note_end(bool has_arrived) {
    --live;
    arrived -= has_arrived ? 1 : 0;
    return complete();
  }

 private:
  bool complete() {
    if (arrived == 0 || arrived < live) return false;
    arrived = 0;
    ++generation;
    clock.complete();
    return true;
  }
};

}  // namespace kmux::simt
