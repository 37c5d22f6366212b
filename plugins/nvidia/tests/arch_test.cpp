#include <gtest/gtest.h>

#include "nvidia/target.h"

namespace kmux::nvidia {
namespace {

constexpr Arch kSm80{80, '\0'};
constexpr Arch kSm90{90, '\0'};
constexpr Arch kSm90a{90, 'a'};
constexpr Arch kSm100a{100, 'a'};
constexpr Arch kSm100f{100, 'f'};
constexpr Arch kSm103a{103, 'a'};
constexpr Arch kSm120a{120, 'a'};
constexpr Arch kCompute90{90, '\0', true};

TEST(ArchTest, RoundTripsThroughText) {
  for (const char* text :
       {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_121a", "compute_90", "compute_90a", "compute_100f"}) {
    ASSERT_TRUE(parse_arch(text).has_value()) << text;
    EXPECT_EQ(to_string(*parse_arch(text)), text);
  }
}

TEST(ArchTest, RejectsInvalidNames) {
  for (const char* text :
       {"", "sm_", "sm_9", "sm_1000", "sm_90b", "sm_90aa", "compute_", "compute_9", "90", "sm_-90", "sm_90 "}) {
    EXPECT_FALSE(parse_arch(text).has_value()) << text;
  }
}

TEST(ArchTest, HasArchSpecificSuffixFromCapability9) {
  EXPECT_EQ(arch_of_capability(8, 9), (Arch{89, '\0'}));
  EXPECT_EQ(arch_of_capability(9, 0), kSm90a);
  EXPECT_EQ(arch_of_capability(10, 3), kSm103a);
}

TEST(ArchTest, SatisfiesOlderAndEqualRequirements) {
  EXPECT_TRUE(satisfies(kSm90a, kSm80));
  EXPECT_TRUE(satisfies(kSm90a, kSm90));
  EXPECT_TRUE(satisfies(kSm90a, kSm90a));
  EXPECT_FALSE(satisfies(kSm90, kSm90a));
  EXPECT_FALSE(satisfies(kSm100a, kSm90a));
  EXPECT_FALSE(satisfies(kSm80, kSm90));
}

TEST(ArchTest, SatisfiesItsFamily) {
  EXPECT_TRUE(satisfies(kSm103a, kSm100f));
  EXPECT_TRUE(satisfies(kSm100f, kSm100f));
  EXPECT_FALSE(satisfies(kSm120a, kSm100f));
  EXPECT_FALSE(satisfies({103, '\0'}, kSm100f));
}

TEST(ArchTest, BinaryRunsOnEqualOrNewerMinorOfSameMajor) {
  EXPECT_TRUE(runs_on(kSm90a, kSm90a));
  EXPECT_TRUE(runs_on(kSm80, {89, '\0'}));
  EXPECT_TRUE(runs_on(kSm100f, kSm103a));
  EXPECT_FALSE(runs_on({89, '\0'}, kSm80));
  EXPECT_FALSE(runs_on(kSm80, kSm90a));
  EXPECT_FALSE(runs_on(kSm100a, kSm103a));
  EXPECT_FALSE(runs_on(kSm90, kCompute90));
}

TEST(ArchTest, VirtualArchSatisfiesPlainArchsUpToItsNumber) {
  EXPECT_TRUE(satisfies(kCompute90, kSm90));
  EXPECT_TRUE(satisfies(kCompute90, kSm80));
  EXPECT_FALSE(satisfies(kCompute90, kSm90a));
  EXPECT_FALSE(satisfies(kCompute90, kSm100f));
}

TEST(ReleaseTest, ParsesOptionalPatchNumber) {
  EXPECT_EQ(parse_release("12.4"), (Release{12, 4}));
  EXPECT_EQ(parse_release("12.4.127"), (Release{12, 4}));
  for (const char* text : {"", "12", "12.", "x.4"}) EXPECT_FALSE(parse_release(text).has_value()) << text;
}

std::string forward(Arch target, Release release) {
  const auto code = forward_ptx(target, release);
  return code ? to_string(*code) : "";
}

TEST(ForwardPtxTest, TargetsNewestArchKnownToOlderCompiler) {
  EXPECT_EQ(forward(kSm100a, {12, 4}), "compute_90");
  EXPECT_EQ(forward(kSm103a, {12, 8}), "compute_100");  // not that of sm_101, which has since been renumbered
  EXPECT_EQ(forward({110, 'a'}, {12, 9}), "compute_103");
  EXPECT_EQ(forward({121, 'a'}, {12, 8}), "compute_120");
  EXPECT_EQ(forward({130, 'a'}, {13, 0}), "compute_121");
}

TEST(ForwardPtxTest, FamilyUsesPlainArchBeforeCompilerKnowsFamilies) {
  EXPECT_EQ(forward(kSm100f, {12, 4}), "compute_90");
  EXPECT_EQ(forward(kSm100f, {12, 8}), "compute_100");
  EXPECT_EQ(forward({120, 'f'}, {12, 8}), "compute_120");
  EXPECT_EQ(forward(kSm100f, {12, 9}), "");
}

TEST(ForwardPtxTest, IsOmittedWhenCompilerKnowsTarget) {
  EXPECT_EQ(forward(kSm90a, {12, 0}), "");
  EXPECT_EQ(forward(kSm100a, {12, 8}), "");
  EXPECT_EQ(forward(kSm103a, {12, 9}), "");
  EXPECT_EQ(forward({101, 'a'}, {12, 8}), "");
  EXPECT_EQ(forward({130, 'a'}, {13, 1}), "");
  EXPECT_EQ(forward({100, '\0', true}, {12, 0}), "");  // requested by name: the compiler decides
}

}  // namespace
}  // namespace kmux::nvidia
