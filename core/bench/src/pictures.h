#pragma once

#include <span>
#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The order of backends in which a page gives colours.
using Palette = std::vector<std::string>;

/// A bar for each backend with its interval, as SVG; empty if the column has none.
std::string picture_bars(const Contest& contest, Column column, const Palette& palette);

/// The headline column over `axis`, a line a backend, as SVG; both scales are logarithmic. `contests` are of one program and
/// differ in that axis alone. Empty for fewer than two points.
std::string picture_scaling(std::span<const Contest* const> contests, const std::string& axis, const Palette& palette);

/// Operations a second over operations a byte, a mark for each backend of each contest that declares both, under the
/// highest rates that were measured; as SVG. Empty if no contest does.
std::string picture_roofline(std::span<const Contest> contests, const Palette& palette);

}  // namespace kmux::bench
