#pragma once

#include <string_view>

namespace kmux::cpu {

/// How much work goes into the code. Its results are the same bit for bit: neither tier takes liberties with
/// floating-point arithmetic that the sources' own flags do not allow.
enum class Tier {
  kFast,  // so that a kernel can be called soon; vector code only where the source asks for it
  kFull,  // everything that option opt_level stands for
};

constexpr std::string_view name_of(Tier tier) { return tier == Tier::kFast ? "fast" : "full"; }

}  // namespace kmux::cpu
