#include "simt/check/race_text.h"

#include <array>

#include "simt/check/findings.h"

namespace kmux::simt {
namespace {

/// How an access of a unit is described: a write, then a read.
struct UnitText {
  const char* clause;
  const char* advice;
};

constexpr const char* kWaitForPhase = "Wait for the phase of the mbarrier before";

UnitText unit_text(ActorKind kind, bool was_write) {
  switch (kind) {
    case ActorKind::kCopies:
      return {"cp.async writes, without waiting for its group",
              "Execute cp.async.wait_group in that thread, and let others wait at a barrier after it"};
    case ActorKind::kProducts:
      return {"wgmma may still read",
              "Execute wgmma.wait_group in that warp, and let others wait at a barrier after it"};
    case ActorKind::kBulk:
      return {"a bulk copy may still read",
              "Execute cp.async.bulk.wait_group.read in that thread, and let others wait at a barrier after it"};
    default:
      break;
  }
  return was_write ? UnitText{"an asynchronous copy writes, without waiting for its mbarrier", kWaitForPhase}
                   : UnitText{"an asynchronous copy may still read", kWaitForPhase};
}

std::string place_of(const Touch& before, const Actors& actors, unsigned rank) {
  return actors.text(before.actor, rank) + " at " + Findings::place(before.site);
}

}  // namespace

RaceText race_text(const Touch& before, bool was_write, const Actors& actors, unsigned rank) {
  const std::string where = place_of(before, actors, rank);
  if (!before.is_asynchronous) {
    return {std::string("another thread ") + (was_write ? "wrote" : "read") + " with no barrier between", where,
            "Let that thread arrive at a barrier after it, and wait there before this"};
  }
  const UnitText text = unit_text(actors.name_of(before.actor).kind, was_write);
  return {text.clause, where, text.advice};
}

RaceText unfenced_text(const Touch& before, const Actors& actors, unsigned rank) {
  return {"a thread wrote with no fence.proxy.async between", place_of(before, actors, rank),
          "Put fence.proxy.async between the write and the barrier"};
}

std::string unit_verb(ActorKind kind, bool is_write) {
  const char* const unit = kind == ActorKind::kProducts ? "wgmma"
                           : kind == ActorKind::kBulk   ? "a bulk copy"
                                                        : "an asynchronous copy";
  return std::string("lets ") + unit + (is_write ? " write" : " read");
}

std::string swizzle_text(TileSwizzle swizzle) {
  constexpr std::array<const char*, 4> kBytes = {"no swizzle", "a swizzle of 32 bytes", "a swizzle of 64 bytes",
                                                 "a swizzle of 128 bytes"};
  return kBytes[swizzle % kBytes.size()];
}

}  // namespace kmux::simt
