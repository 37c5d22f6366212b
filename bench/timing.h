#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace kmux::bench {

/// Units: milliseconds.
template <class Work>
double milliseconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace kmux::bench
