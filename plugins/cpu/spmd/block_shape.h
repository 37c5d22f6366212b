#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace kmux::cpu {

/// The kernels of a job whose sources are written for one thread of a GPU, with the extents of their blocks; nothing where those
/// are not constant, or differ from one launch to the next.
///
/// Shapes: x, y, z.
using BlockExtents = std::map<std::string, std::optional<std::array<unsigned, 3>>>;

namespace spmd {

/// How the threads of a block are dealt out to warps, each of which runs as one thread with a lane a thread.
struct BlockShape {
  enum class Order : unsigned char {
    kRows,  // a warp lies in one row of x, which is a multiple of `lanes` long
    kLine,  // the block is one row of any length: the last warp may be less than whole
    kLinear,  // any block: a warp is `lanes` threads one after another, over the ends of rows
  };
  Order order = Order::kLinear;
  unsigned lanes = 32;
  unsigned warps = 1;  // that run in step: each instruction for all of them before the next one
  std::optional<std::array<unsigned, 3>> extents = {};  // where they are known

  /// The shape for a block of known or unknown extents. `seen_warp`: the threads of the warps within which the kernel exchanges
  /// values; 0 if it does not.
  static BlockShape of(std::optional<std::array<unsigned, 3>> block, unsigned seen_warp);
  /// The most warps, of at most `limit`, that can run in step: as many as divide the block, if every warp is whole; else 1.
  unsigned warps_in_step(unsigned limit) const;
  /// Has every warp all of its threads?
  bool is_whole() const {
    return order == Order::kRows || (extents && ((*extents)[0] * (*extents)[1] * (*extents)[2]) % lanes == 0);
  }
};

inline BlockShape BlockShape::of(std::optional<std::array<unsigned, 3>> block, unsigned seen_warp) {
  constexpr unsigned kWarp = 32;
  constexpr unsigned kLeastLanes = 8;
  const unsigned most = seen_warp == 0 ? kWarp : seen_warp;
  if (!block) return {Order::kLinear, most, 1, {}};
  const auto [x, y, z] = *block;
  for (unsigned row = most; row >= (seen_warp == 0 ? kLeastLanes : most); row /= 2) {
    if (x % row == 0) return {Order::kRows, row, 1, block};
  }
  return {y * z == 1 ? Order::kLine : Order::kLinear, most, 1, block};
}

inline unsigned BlockShape::warps_in_step(unsigned limit) const {
  if (!extents || !is_whole()) return 1;
  const unsigned all = (*extents)[0] * (*extents)[1] * (*extents)[2] / lanes;
  unsigned together = std::min(limit, all);
  while (together > 1 && all % together != 0) --together;
  return std::max(together, 1U);
}

}  // namespace spmd
}  // namespace kmux::cpu
