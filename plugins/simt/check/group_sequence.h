#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string_view>

#include "simt/check/fiber.h"

namespace kmux::simt {

/// An instruction that the four warps of a group execute together. Each has a site of its own.
struct GroupStep {
  const kmux_cpu_site* site = nullptr;
  std::string_view instruction;  // a literal: "wgmma"
};

/// The instructions that the four warps of a group execute together, one after another: each warp must have the same.
class GroupSequence {
 public:
  /// Notes that `warp` of the group comes to `step`. Returns that of the warp that came first to a step with that number.
  GroupStep note(unsigned warp, const GroupStep& step) {
    const std::size_t number = counts_[warp]++ - dropped_;
    if (number == steps_.size()) steps_.push_back(step);
    const GroupStep first = steps_[number];
    drop_passed();
    return first;
  }
  /// Returns a step that only some warps have executed, or null.
  const GroupStep* unpaired() const { return steps_.empty() ? nullptr : &steps_.front(); }

 private:
  // Drops steps that all warps have passed.
  void drop_passed() {
    const auto is_past = [&](std::size_t count) { return count > dropped_; };
    while (!steps_.empty() && is_past(counts_[0]) && is_past(counts_[1]) && is_past(counts_[2]) &&
           is_past(counts_[3])) {
      steps_.pop_front();
      ++dropped_;
    }
  }

  std::deque<GroupStep> steps_;
  std::size_t dropped_ = 0;
  std::array<std::size_t, kGroupWarps> counts_ = {};
};

}  // namespace kmux::simt
