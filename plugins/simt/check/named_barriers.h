#pragma once

#include <array>
#include <cstdint>

#include "simt/check/clocks.h"

namespace kmux::simt {

/// The 16 barriers of a block that PTX names by number: "bar.sync 1, 128".
class NamedBarriers {
 public:
  static constexpr unsigned kCount = 16;

  /// A barrier. Its generation changes when all threads have arrived.
  struct Barrier {
    std::uint64_t generation = 0;
    unsigned arrived = 0;
    unsigned threads = 0;  // that it waits for; 0: all of the block that have not ended
    unsigned with_predicate = 0;  // of those that have arrived
    unsigned last_arrived = 0;  // in the last generation
    unsigned last_with_predicate = 0;
    BarrierClock clock = {};
  };

  Barrier& operator[](unsigned number) { return barriers_[number]; }
  const Barrier& operator[](unsigned number) const { return barriers_[number]; }

  /// Counts an arrival at barrier `number`, of which `live` threads exist. Returns true if it was the last one.
  bool arrive(unsigned number, unsigned threads, unsigned live, bool predicate = true);
  /// Notes that a thread has ended, after which `live` exist. Returns true if a barrier waited for that one alone.
  bool note_end(unsigned live);

 private:
  bool complete(Barrier& barrier, unsigned live);

  std::array<Barrier, kCount> barriers_ = {};
};

}  // namespace kmux::simt
