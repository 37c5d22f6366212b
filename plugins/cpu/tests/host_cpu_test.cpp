#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/installation.h"

namespace kmux::cpu {
namespace {

using testing::Contains;

TEST(HostCpu, KnowsThisMachine) {
  EXPECT_NE(host_cpu().name, "");
  EXPECT_FALSE(host_cpu().features.empty());
}

#if defined(__x86_64__)
TEST(HostCpu, ListsTheNames) { EXPECT_THAT(known_cpus(), Contains("znver4")); }
#endif

}  // namespace
}  // namespace kmux::cpu
