#include "stale_steps_wrong.h"

#include <cstdio>

#include "random_edits.h"

namespace kmux::bench {

double stale_steps_wrong() {
  constexpr int kSeeds = 100;
  constexpr int kSteps = 500;  // each seed begins with an empty cache
  constexpr int kProgress = 10;
  int wrong = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const fresh::Outcome outcome = fresh::run_random_edits("reading", static_cast<std::uint64_t>(seed), kSteps);
    wrong += outcome.wrong;
    if (outcome.wrong > 0) {
      std::fprintf(stderr, "seed %d: %d steps wrong, the first: %s\n", seed, outcome.wrong, outcome.first.c_str());
    }
    if (seed % kProgress == 0)
      std::fprintf(stderr, "%d of %d steps, %d wrong\n", seed * kSteps, kSeeds * kSteps, wrong);
  }
  return wrong;
}

}  // namespace kmux::bench
