#pragma once

#include <array>
#include <optional>

namespace kmux::cpu::spmd {

/// How the threads of a block are dealt out to warps, each of which runs as one thread with a lane a thread.
struct BlockShape {
  enum class Order : unsigned char {
    kRows,    // a warp lies in one row of x, which is a multiple of `lanes` long
    kLine,    // the block is one row of any length: the last warp may be less than whole
    kLinear,  // any block: a warp is `lanes` threads one after another, over the ends of rows
  };
  Order order = Order::kLinear;
  unsigned lanes = 32;
  unsigned warps = 1;  // that run in step: each instruction for all of them before the next one
  std::optional<std::array<unsigned, 3>> extents = {};  // where they are known

  /// The shape for a block of known or unknown extents. `seen_warp`: the threads of the warps within which the kernel exchanges
  /// values; 0 if it does not.
  static BlockShape of(std::optional<std::array<unsigned, 3>> extents, unsigned seen_warp);
  /// The most warps, of at most `limit`, that can run in step: as many as divide the block, if every warp is whole; else 1.
  unsigned warps_in_step(unsigned limit) const;
  /// Has every warp all of its threads?
  bool is_whole() const {
    return order == Order::kRows || (extents && ((*extents)[0] * (*extents)[1] * (*extents)[2]) % lanes == 0);
  }
};

}  // namespace kmux::cpu::spmd
