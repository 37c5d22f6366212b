#pragma once

#include <array>
#include <cstddef>
#include <deque>

#include "simt/check/fiber_launch.h"

namespace kmux::simt {

/// The instructions that the four warps of a group execute together, one after another: each warp must have the same.
class ProductSequence {
 public:
  static constexpr unsigned kWarps = 4;

  /// Notes that `warp` of the group comes to the instruction at `site`, of which each instruction has its own. Returns
  /// the site of the warp that came first to an instruction with that number.
  const kmux_cpu_site* note(unsigned warp, const kmux_cpu_site* site) {
    const std::size_t number = counts_[warp]++ - dropped_;
    if (number == sites_.size()) sites_.push_back(site);
    const kmux_cpu_site* const first = sites_[number];
    drop_passed();
    return first;
  }
  /// Returns the site of an instruction that only some warps have executed, or null.
  const kmux_cpu_site* unpaired() const { return sites_.empty() ? nullptr : sites_.front(); }

 private:
  // Drops instructions that all warps have passed.
  void drop_passed() {
    const auto is_past = [&](std::size_t count) { return count > dropped_; };
    while (!sites_.empty() && is_past(counts_[0]) && is_past(counts_[1]) && is_past(counts_[2]) &&
           is_past(counts_[3])) {
      sites_.pop_front();
      ++dropped_;
    }
  }

  std::deque<const kmux_cpu_site*> sites_;
  std::size_t dropped_ = 0;
  std::array<std::size_t, kWarps> counts_ = {};
};

}  // namespace kmux::simt
