#pragma once

#include <string>

#include "simt/check/actors.h"
#include "simt/check/shared_shadow.h"

namespace kmux::simt {

/// The parts of a finding that describe an earlier access.
struct RaceText {
  std::string clause;  // behind "that": "another thread wrote with no barrier between"
  std::string where;  // "thread number 5 of the block at k.cu:12"
  std::string advice;
};

/// Describes an access that nothing orders before the current one, which is of a thread of block `rank`.
RaceText race_text(const Touch& before, bool was_write, const Actors& actors, unsigned rank);

/// Describes a write by a thread that a unit accesses without a proxy fence.
RaceText unfenced_text(const Touch& before, const Actors& actors, unsigned rank);

/// Returns "lets wgmma read".
std::string unit_verb(ActorKind kind, bool is_write);

/// Returns "a swizzle of 128 bytes".
std::string swizzle_text(TileSwizzle swizzle);

}  // namespace kmux::simt
