#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace kmux::simt {

/// The wgmma that the four warps of a group have issued. One is done when each of them has issued it.
class GroupProducts {
 public:
  static constexpr unsigned kWarps = 4;

  void issue(unsigned warp) { ++issued_[warp], update(); }
  /// Notes that `warp` has ended, for which others must not wait.
  void note_end(unsigned warp) { issued_[warp] = std::numeric_limits<std::uint64_t>::max(), update(); }
  std::uint64_t issued(unsigned warp) const { return issued_[warp]; }
  /// Returns the number that every warp has issued. Valid as long as the object.
  const std::uint64_t& done() const { return done_; }

 private:
  void update() { done_ = *std::ranges::min_element(issued_); }

  std::array<std::uint64_t, kWarps> issued_ = {};
  std::uint64_t done_ = 0;
};

}  // namespace kmux::simt
