#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The order of backends in which a page gives colours.
using Palette = std::vector<std::string>;

std::size_t index_in(const Palette& palette, const std::string& backend);

/// A bar for each backend with its interval, as SVG; empty if the column has none.
std::string picture_bars(const Contest& contest, Column column, const Palette& palette);

/// The headline column over `axis`, a line a backend, as SVG; both scales are logarithmic. `contests` are of one program and
/// differ in that axis alone. Empty for fewer than two points.
std::string picture_scaling(std::span<const Contest* const> contests, const std::string& axis, const Palette& palette);

/// Operations a second over operations a byte, a mark for each backend of each contest that declares both, under the
/// highest rates that were measured; as SVG. Empty if no contest does.
std::string picture_roofline(std::span<const Contest> contests, const Palette& palette);

/// The time of each backend over the baseline's with its interval, a line a backend, as SVG; on a logarithmic scale from
/// 1 / `widest` to `widest`, the baseline in the middle. Empty if nobody is judged.
std::string picture_ratios(const Contest& contest, double widest, const Palette& palette);

/// How far from the baseline's a time of the contest may lie: at least 1.
double widest_ratio(const Contest& contest);

}  // namespace kmux::bench
