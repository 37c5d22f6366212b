#pragma once

#include <string>
#include <vector>

#include "simt/check/clocks.h"

namespace kmux::simt {

/// The kinds of accesses that are ordered one by one.
enum class ActorKind : unsigned char { kThread, kBulk, kCopies, kProducts, kMbarrier };

/// An actor by name.
struct ActorName {
  ActorKind kind;
  unsigned rank;  // of its block in the cluster
  unsigned
      number;  // of the thread, for kProducts of the group of four warps, for kMbarrier the offset in shared memory
};

/// The threads of a cluster and the units that access memory for them.
class Actors {
 public:
  /// `threads`: of a block.
  Actors(unsigned blocks, unsigned threads);

  /// Forgets all units: other blocks begin.
  void clear() { units_.clear(); }
  /// Returns the actor of lane 0 of the warp of thread `number`.
  Actor first_of_warp(unsigned rank, unsigned number) const;
  Actor thread(unsigned rank, unsigned number) const { return first_of_warp(rank, number) + number % kClockLanes; }
  /// Adds a unit.
  Actor add(const ActorName& name);
  ActorName name_of(Actor actor) const;
  bool is_thread(Actor actor) const { return actor < threads_; }
  /// Returns "thread number 5 of the block", or "of block 1 of the cluster" as seen from block `rank`.
  std::string text(Actor actor, unsigned rank) const;

 private:
  unsigned threads_of_block_;  // a multiple of the lanes of a warp
  unsigned threads_;
  std::vector<ActorName> units_;
};

}  // namespace kmux::simt
