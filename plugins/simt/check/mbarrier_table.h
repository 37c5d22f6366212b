#pragma once

#include <unordered_map>

#include "simt/check/clocks.h"
#include "simt/check/shared_shadow.h"

namespace kmux::simt {

/// The checked state of an mbarrier.
struct CheckedMbarrier {
  Actor copies = kNoActor;  // those that complete there; their time is that of the phase
  Time phases = 0;  // that have ended
  Touch init = {};
  unsigned waiting = 0;  // threads
  BarrierClock clock = {};

  /// Returns the time of copies that complete in the current phase.
  Time now() const { return phases + 1; }
  /// Ends the phase: those that wait for it know its arrivals and copies.
  void end_phase() {
    clock.raise(copies, ++phases);
    clock.complete();
  }
};

/// The mbarriers of a cluster by address, from their initialisation on.
class MbarrierTable {
 public:
  void clear() { all_.clear(); }
  /// Returns the one at `address`, or null.
  CheckedMbarrier* find(const void* address) {
    const auto found = all_.find(address);
    return found == all_.end() ? nullptr : &found->second;
  }
  /// Returns the one at `address`, a new one if none is there.
  CheckedMbarrier& at(const void* address) { return all_[address]; }
  void erase(const void* address) { all_.erase(address); }

 private:
  std::unordered_map<const void*, CheckedMbarrier> all_;
};

}  // namespace kmux::simt
