#include <gtest/gtest.h>

#include "random_edits.h"
#include "sizes.h"

namespace kmux::fresh {
namespace {

void expect_fresh_code(const std::string& backend, int seeds, int steps) {
  for (int seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = run_random_edits(backend, static_cast<std::uint64_t>(seed), steps);
    ASSERT_EQ(outcome.wrong, 0) << backend << ", seed " << seed << ", " << outcome.first;
  }
}

TEST(FreshCodeTest, IsReturnedByEveryCallAfterEdits) { expect_fresh_code("reading", of_size(3, 10), 500); }

TEST(FreshCodeTest, IsReturnedByCpuBackendAfterEdits) { expect_fresh_code("cpu", 1, 200); }

}  // namespace
}  // namespace kmux::fresh
