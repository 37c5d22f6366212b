#pragma once

#include <map>
#include <utility>

#include "simt/check/actors.h"
#include "simt/check/mbarrier_table.h"
#include "simt/check/product_sequence.h"

namespace kmux::simt {

/// The checked state of a cluster, beside the memory of its blocks.
struct ClusterCheck {
  Actors actors;
  MbarrierTable mbarriers = {};
  std::map<std::pair<unsigned, unsigned>, ProductSequence> products = {};  // by the rank of a block, and the group

  void clear() {
    actors.clear();
    mbarriers.clear();
    products.clear();
  }
};

}  // namespace kmux::simt
