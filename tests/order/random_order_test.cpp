#include "random_order.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "order_backends.h"

namespace kmux::order {
namespace {

KMUX_ON_EVERY_BACKEND(RandomOrder);

// Some seconds' worth; bars_order has 10,000 of them.
TEST_P(RandomOrder, GivesWhatOneThingAfterAnotherGives) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ASSERT_EQ(run_random_order(cuda, *kernels, seed), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace kmux::order
