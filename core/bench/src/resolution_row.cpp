#include "kmux/bench/resolution_row.h"

namespace kmux::bench {

std::vector<ResolutionRow> rows_of(const Resolution& resolution) {
  std::vector<ResolutionRow> rows;
  rows.reserve(resolution.candidates.size());
  for (const Candidate& candidate : resolution.candidates) {
    rows.push_back({candidate.backend, static_cast<std::int64_t>(candidate.variant), candidate.dialect,
                    candidate.target, std::string(to_string(candidate.verdict)),
                    std::string(to_string(candidate.stage)), candidate.reason});
  }
  return rows;
}

}  // namespace kmux::bench
