#pragma once

#include <map>
#include <utility>

#include "simt/check/actors.h"
#include "simt/check/group_sequence.h"
#include "simt/check/mbarrier_table.h"

namespace kmux::simt {

/// The checked state of a group of four warps.
struct WarpGroupCheck {
  GroupSequence sequence = {};
  Actor products = kNoActor;
  unsigned registers = 0;  // of a thread, as its last setmaxnreg asks; 0 before the first
};

/// The checked state of a cluster, beside the memory of its blocks.
struct ClusterCheck {
  Actors actors;
  MbarrierTable mbarriers = {};
  std::map<std::pair<unsigned, unsigned>, WarpGroupCheck> groups =
      {};  // by the rank of a block, and the group's number

  void clear() {
    actors.clear();
    mbarriers.clear();
    groups.clear();
  }
};

}  // namespace kmux::simt
