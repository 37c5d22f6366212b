#include "spmd/block_shape.h"

#include <algorithm>

namespace kmux::cpu::spmd {
namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kLeastLanes = 8;

}  // namespace

BlockShape BlockShape::of(std::optional<std::array<unsigned, 3>> extents, unsigned seen_warp) {
  const unsigned most = seen_warp == 0 ? kWarp : seen_warp;
  if (!extents) return {Order::kLinear, most, 1, {}};
  const auto [x, y, z] = *extents;
  for (unsigned lanes = most; lanes >= (seen_warp == 0 ? kLeastLanes : most); lanes /= 2) {
    if (x % lanes == 0) return {Order::kRows, lanes, 1, extents};
  }
  return {y * z == 1 ? Order::kLine : Order::kLinear, most, 1, extents};
}

unsigned BlockShape::warps_in_step(unsigned limit) const {
  if (!extents || !is_whole()) return 1;
  const unsigned all = (*extents)[0] * (*extents)[1] * (*extents)[2] / lanes;
  unsigned warps = std::min(limit, all);
  while (warps > 1 && all % warps != 0) --warps;
  return std::max(warps, 1U);
}

}  // namespace kmux::cpu::spmd
