#include "rounds.h"

namespace kmux {
namespace {

using Samples = std::vector<std::vector<double>>;

Status time_round(const std::vector<TimeOnce>& candidates, bool backwards, Samples& samples) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t turn = backwards ? candidates.size() - 1 - i : i;
    KMUX_ASSIGN(const double microseconds, candidates[turn]());
    samples[turn].push_back(microseconds);
  }
  return Ok{};
}

}  // namespace

Result<Samples> time_in_rounds(const std::vector<TimeOnce>& candidates, const RoundLimits& limits,
                               const std::function<std::chrono::nanoseconds()>& now) {
  Samples first(candidates.size());
  KMUX_TRY(time_round(candidates, false, first));
  Samples samples(candidates.size());
  const std::chrono::nanoseconds begin = now();
  for (std::size_t round = 0; round < limits.most; ++round) {
    if (round >= limits.least && now() - begin >= limits.time) break;
    KMUX_TRY(time_round(candidates, round % 2 == 1, samples));
  }
  return samples;
}

}  // namespace kmux
