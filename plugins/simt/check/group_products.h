#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "simt/check/fiber.h"

namespace kmux::simt {

/// The wgmma that the four warps of a group have issued. One is done when each of them has issued it.
class GroupProducts {
 public:
  void issue(unsigned warp) { ++issued_[warp], update(); }
  /// Notes that a thread of `warp` has ended, for which others must not wait. Returns true if more are done by that.
  bool note_end(unsigned warp) {
    const std::uint64_t before = done_;
    issued_[warp] = std::numeric_limits<std::uint64_t>::max(), update();
    return done_ != before;
  }
  std::uint64_t issued(unsigned warp) const { return issued_[warp]; }
  /// Returns the number that every warp has issued. Valid as long as the object.
  const std::uint64_t& done() const { return done_; }

 private:
  void update() { done_ = *std::ranges::min_element(issued_); }

  std::array<std::uint64_t, kGroupWarps> issued_ = {};
  std::uint64_t done_ = 0;
};

}  // namespace kmux::simt
