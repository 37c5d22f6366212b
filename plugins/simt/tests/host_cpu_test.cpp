#include <elf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "simt/frontend/installation.h"

namespace kmux::simt {
namespace {

using testing::Contains;

TEST(HostCpuTest, ReportsNameAndFeatures) {
  EXPECT_NE(host_cpu().name, "");
  EXPECT_FALSE(host_cpu().features.empty());
}

#if defined(__aarch64__)
TEST(HostCpuTest, FeaturesMatchAuxiliaryVector) {
  EXPECT_EQ(host_cpu().features.contains("neon"), (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0);
  EXPECT_EQ(host_cpu().features.contains("sve"), (getauxval(AT_HWCAP) & HWCAP_SVE) != 0);
  EXPECT_EQ(host_cpu().features.contains("sve2"), (getauxval(AT_HWCAP2) & HWCAP2_SVE2) != 0);
  EXPECT_EQ(host_cpu().features.contains("i8mm"), (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0);
}

TEST(HostCpuTest, CheckableFeaturesIncludeMissingOnes) {
  EXPECT_THAT(checkable_features(host_triple()), Contains("sm4")) << "which servers lack";
}
#endif

TEST(HostCpuTest, MapsProcessorNamesToTriples) {
  EXPECT_EQ(triple_of(host_cpu().name), host_triple());
  EXPECT_EQ(triple_of("neoverse-v2"), "aarch64-unknown-linux-gnu");
  EXPECT_EQ(elf_machine_of(triple_of("neoverse-v2")), EM_AARCH64);
  EXPECT_EQ(triple_of("no-such-processor"), host_triple());
}

#if defined(__x86_64__)
TEST(HostCpuTest, ListsKnownNames) { EXPECT_THAT(known_cpus(), Contains("znver4")); }
#endif

}  // namespace
}  // namespace kmux::simt
