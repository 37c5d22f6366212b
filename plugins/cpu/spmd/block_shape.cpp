#include "spmd/block_shape.h"

namespace kmux::cpu::spmd {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kLeastLanes = 8;

}  // namespace

BlockShape BlockShape::of(std::optional<std::array<unsigned, 3>> extents, bool warps_are_seen) {
  if (!extents) return {Order::kLinear, kWarp, {}};
  const auto [x, y, z] = *extents;
  for (unsigned lanes = kWarp; lanes >= (warps_are_seen ? kWarp : kLeastLanes); lanes /= 2) {
    if (x % lanes == 0) return {Order::kRows, lanes, extents};
  }
  return {y * z == 1 ? Order::kLine : Order::kLinear, kWarp, extents};
}

}  // namespace kmux::cpu::spmd
