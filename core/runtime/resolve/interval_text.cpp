#include "interval_text.h"

#include <array>
#include <cstdio>

namespace kmux {

std::string to_text(const Interval& interval) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.2f us (%.2f to %.2f)", interval.median, interval.low, interval.high);
  return text.data();
}

std::string milliseconds_text(double ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms", ms);
  return text.data();
}

Json to_json(const Interval& interval) {
  return Json::Object{{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace kmux
