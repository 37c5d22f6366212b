#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace kmux::cpu {

/// What is known of a block's extents before it is launched: 0 where one is not constant, or differs from launch to launch.
///
/// Shapes: x, y, z.
using KnownExtents = std::array<unsigned, 3>;

/// The kernels of a job whose sources are written for one thread of a GPU, with their blocks.
using BlockExtents = std::map<std::string, KnownExtents>;

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
  std::optional<std::array<unsigned, 3>> extents = {};  // where all are known

  /// The shape for `block`. `seen_warp`: the threads of the warps within which the kernel exchanges values; 0 if it does not. A warp
  /// then has at most as many as are in a row of threads that the kernel makes of its block, `seen_row`, if that is not 0.
  static BlockShape of(const KnownExtents& block, unsigned seen_warp, unsigned seen_row = 0);
  /// The most warps, of at most `limit`, that can run in step: as many as divide the block, if every warp is whole; else 1.
  unsigned warps_in_step(unsigned limit) const;
  /// Of a block; 0 if they are not known.
  unsigned threads() const { return extents ? (*extents)[0] * (*extents)[1] * (*extents)[2] : 0; }
  /// Do all warps of a block run in step?
  bool are_all_in_step() const { return threads() == lanes * warps; }
  /// Has every warp all of its threads?
  bool is_whole() const {
    return order == Order::kRows || (extents && ((*extents)[0] * (*extents)[1] * (*extents)[2]) % lanes == 0);
  }
};

inline BlockShape BlockShape::of(const KnownExtents& block, unsigned seen_warp, unsigned seen_row) {
  constexpr unsigned kWarp = 32;
  constexpr unsigned kLeastLanes = 8;
  const unsigned own = seen_row == 0 || block[0] % seen_row != 0 ? kWarp : seen_row;
  const unsigned most = seen_warp == 0 ? own : seen_warp;
  const auto [x, y, z] = block;
  const Order over_ends = y * z == 1 ? Order::kLine : Order::kLinear;
  if (x * y * z == 0) return {over_ends, most, 1, {}};
  for (unsigned row = most; row >= (seen_warp == 0 ? kLeastLanes : most); row /= 2) {
    if (x % row == 0) return {Order::kRows, row, 1, block};
  }
  return {over_ends, most, 1, block};
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
