#include "random_order.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "order_backends.h"

namespace kmux::order {
namespace {

KMUX_ON_EVERY_BACKEND(RandomOrderTest);

// Returns the number of seeds, which takes some seconds; KMUX_SEEDS overrides it, and `kmux.sh nightly` sets 10,000.
std::uint64_t seeds() {
  const char* const count = std::getenv("KMUX_SEEDS");
  return count == nullptr ? 200 : std::strtoull(count, nullptr, 10);
}

TEST_P(RandomOrderTest, MatchesSequentialExecution) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    ASSERT_EQ(run_random_order(cuda, *kernels, seed), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace kmux::order
