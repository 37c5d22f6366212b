#include "simt/check/named_barriers.h"

namespace kmux::simt {

bool NamedBarriers::complete(Barrier& barrier, unsigned live) {
  const unsigned wanted = barrier.threads == 0 ? live : barrier.threads;
  if (barrier.arrived == 0 || barrier.arrived < wanted) return false;
  barrier.last_arrived = barrier.arrived;
  barrier.last_with_predicate = barrier.with_predicate;
  barrier.arrived = barrier.with_predicate = 0;
  ++barrier.generation;
  barrier.clock.complete();
  return true;
}

bool NamedBarriers::arrive(unsigned number, unsigned threads, unsigned live, bool predicate) {
  Barrier& barrier = barriers_[number];
  barrier.threads = threads;
  ++barrier.arrived;
  barrier.with_predicate += predicate ? 1 : 0;
  return complete(barrier, live);
}

bool NamedBarriers::note_end(unsigned live) {
  bool any = false;
  for (Barrier& barrier : barriers_) {
    if (barrier.threads == 0) any = complete(barrier, live) || any;
  }
  return any;
}

}  // namespace kmux::simt
