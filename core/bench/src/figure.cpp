#include "kmux/bench/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace kmux::bench {
namespace {

// Beyond that a half width says less than the ends.
constexpr double kWidestPercent = 50;

struct Unit {
  std::string_view of;    // the column's unit
  std::string_view name;
  double size;            // in the column's unit
};

// The larger first; what is smaller than all takes the last.
constexpr std::array<Unit, 16> kUnits = {{{"us", "s", 1e6},
                                          {"us", "ms", 1e3},
                                          {"us", "us", 1},
                                          {"us", "ns", 1e-3},
                                          {"calls/s", "Mcalls/s", 1e6},
                                          {"calls/s", "kcalls/s", 1e3},
                                          {"calls/s", "calls/s", 1},
                                          {"GB/s", "TB/s", 1e3},
                                          {"GB/s", "GB/s", 1},
                                          {"GB/s", "MB/s", 1e-3},
                                          {"GFLOP/s", "TFLOP/s", 1e3},
                                          {"GFLOP/s", "GFLOP/s", 1},
                                          {"GFLOP/s", "MFLOP/s", 1e-3},
                                          {"MiB", "GiB", 1024},
                                          {"MiB", "MiB", 1},
                                          {"KiB", "KiB", 1}}};

const Unit& unit_for(std::string_view of, double value) {
  const Unit* last = kUnits.data();
  for (const Unit& unit : kUnits) {
    if (unit.of != of) continue;
    last = &unit;
    if (std::abs(value) >= unit.size) break;
  }
  return *last;
}

/// Three significant digits, without an exponent.
std::string digits(double value) {
  const double size = std::abs(value);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2, value);
  return text.data();
}

}  // namespace

std::string figure(Column column, double value) {
  const Unit& unit = unit_for(info(column).unit, value);
  return digits(value / unit.size) + " " + std::string(unit.name);
}

std::string spread(Column column, const Interval& interval) {
  if (interval.low == interval.high || interval.median == 0) return "";
  const double half = 50 * (interval.high - interval.low) / interval.median;
  if (half < kWidestPercent) return "+-" + digits(half) + " %";
  return figure(column, interval.low) + " to " + figure(column, interval.high);
}

std::string ratio_text(const Interval& ratio) {
  const bool is_slower = ratio.median >= 1;
  return digits(is_slower ? ratio.median : 1 / ratio.median) + "x " + (is_slower ? "slower" : "faster");
}

std::string ratio_spread(const Interval& ratio) {
  const bool is_slower = ratio.median >= 1;
  return digits(is_slower ? ratio.low : 1 / ratio.high) + " to " + digits(is_slower ? ratio.high : 1 / ratio.low);
}

}  // namespace kmux::bench
