#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace kmux::simt {

/// The extents of a block that are known before launch: 0 for one that is not constant, or differs between launches.
///
/// Shapes: x, y, z.
using KnownExtents = std::array<unsigned, 3>;

/// The kernels of a job whose sources are written for one thread of a GPU, with the extents of their blocks.
using BlockExtents = std::map<std::string, KnownExtents>;

/// The assignment of a block's threads to warps. A warp runs as one thread of the processor, with one lane per thread.
struct BlockShape {
  enum class Order : unsigned char {
    kRows,  // a warp lies in one row of x, which is a multiple of `lanes` long
    kLine,  // the block is one row of any length; the last warp may be partial
    kLinear,  // any block: a warp is `lanes` consecutive threads, across the ends of rows
  };
  Order order = Order::kLinear;
  unsigned lanes = 32;
  unsigned warps = 1;  // in lockstep: each instruction runs for all of them before the next one
  std::optional<std::array<unsigned, 3>> extents = {};  // if all are known

  /// Returns the shape for `block`. `seen_warp`: the warp size that the kernel's lane exchanges assume; 0 if it has
  /// none. A warp then has at most `seen_row` lanes, if that is not 0: the length of the rows into which the kernel
  /// divides its block.
  static BlockShape of(const KnownExtents& block, unsigned seen_warp, unsigned seen_row = 0);
  /// Returns the most warps, at most `limit`, that can run in lockstep. The result divides the block's warps if every
  /// warp is whole; else it is 1.
  unsigned lockstep_warps(unsigned limit) const;
  /// Returns the threads of a block; 0 if the extents are not known.
  unsigned threads() const { return extents ? (*extents)[0] * (*extents)[1] * (*extents)[2] : 0; }
  /// Returns true if all warps of a block run in lockstep.
  bool are_all_in_lockstep() const { return threads() == lanes * warps; }
  /// Returns true if no warp is partial.
  bool is_whole() const {
    return order == Order::kRows || (extents && ((*extents)[0] * (*extents)[1] * (*extents)[2]) % lanes == 0);
  }
};

inline BlockShape BlockShape::of(const KnownExtents& block, unsigned seen_warp, unsigned seen_row) {
  constexpr unsigned kWarp = 32;
  constexpr unsigned kMinLanes = 8;
  const unsigned own = seen_row == 0 || block[0] % seen_row != 0 ? kWarp : seen_row;
  const unsigned most = seen_warp == 0 ? own : seen_warp;
  const auto [x, y, z] = block;
  const Order over_ends = y * z == 1 ? Order::kLine : Order::kLinear;
  if (x * y * z == 0) return {over_ends, most, 1, {}};
  for (unsigned row = most; row >= (seen_warp == 0 ? kMinLanes : most); row /= 2) {
    if (x % row == 0) return {Order::kRows, row, 1, block};
  }
  return {over_ends, most, 1, block};
}

inline unsigned BlockShape::lockstep_warps(unsigned limit) const {
  if (!extents || !is_whole()) return 1;
  const unsigned all = (*extents)[0] * (*extents)[1] * (*extents)[2] / lanes;
  unsigned together = std::min(limit, all);
  while (together > 1 && all % together != 0) --together;
  return std::max(together, 1U);
}

}  // namespace kmux::simt
