#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kmux/resolver.h"

namespace kmux::bench {

/// A backend with one variant of a program: does it take it, and why.
struct ResolutionRow {
  std::string backend;
  std::int64_t variant = 0;
  std::string dialect;
  std::string target;   // empty if it came not so far
  std::string verdict;  // "chosen", "possible", "refused"
  std::string stage;    // at which that was decided
  std::string reason;
  bool operator==(const ResolutionRow&) const = default;
};

/// Every candidate of a resolution, in its order: best first.
std::vector<ResolutionRow> rows_of(const Resolution& resolution);

}  // namespace kmux::bench
