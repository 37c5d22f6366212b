#include "simt/check/actors.h"

namespace kmux::simt {

Actors::Actors(unsigned blocks, unsigned threads)
    : threads_of_block_((threads + kClockLanes - 1) / kClockLanes * kClockLanes),
      threads_(blocks * threads_of_block_) {}

Actor Actors::first_of_warp(unsigned rank, unsigned number) const {
  return rank * threads_of_block_ + number / kClockLanes * kClockLanes;
}

Actor Actors::add(const ActorName& name) {
  units_.push_back(name);
  return threads_ + static_cast<Actor>(units_.size() - 1);
}

ActorName Actors::name_of(Actor actor) const {
  if (!is_thread(actor)) return units_[actor - threads_];
  return {ActorKind::kThread, actor / threads_of_block_, actor % threads_of_block_};
}

std::string Actors::text(Actor actor, unsigned rank) const {
  const ActorName name = name_of(actor);
  const std::string of_block =
      name.rank == rank ? "the block" : "block " + std::to_string(name.rank) + " of the cluster";
  const std::string number = std::to_string(name.number);
  switch (name.kind) {
    case ActorKind::kBulk:
      return "a bulk copy of thread number " + number + " of " + of_block;
    case ActorKind::kCopies:
      return "cp.async of thread number " + number + " of " + of_block;
    case ActorKind::kProducts:
      return "wgmma of warps " + std::to_string(4 * name.number) + " to " + std::to_string(4 * name.number + 3) +
             " of " + of_block;
    case ActorKind::kMbarrier:
      return "a copy that completes at the mbarrier at byte " + number + " of " + of_block;
    default:
      return "thread number " + number + " of " + of_block;
  }
}

}  // namespace kmux::simt
