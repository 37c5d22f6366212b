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

TEST(Arch, IsReadAndWritten) {
  for (const char* text : {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_121a"}) {
    ASSERT_TRUE(parse_arch(text).has_value()) << text;
    EXPECT_EQ(to_string(*parse_arch(text)), text);
  }
}

TEST(Arch, IsNothingElse) {
  for (const char* text : {"", "sm_", "sm_9", "sm_1000", "sm_90b", "sm_90aa", "compute_90", "90", "sm_-90", "sm_90 "}) {
    EXPECT_FALSE(parse_arch(text).has_value()) << text;
  }
}

TEST(Arch, OfADeviceHasASuffixFromNineOn) {
  EXPECT_EQ(arch_of_capability(8, 9), (Arch{89, '\0'}));
  EXPECT_EQ(arch_of_capability(9, 0), kSm90a);
  EXPECT_EQ(arch_of_capability(10, 3), kSm103a);
}

TEST(Arch, SatisfiesWhatOlderAndEqualOnesPromise) {
  EXPECT_TRUE(satisfies(kSm90a, kSm80));
  EXPECT_TRUE(satisfies(kSm90a, kSm90));
  EXPECT_TRUE(satisfies(kSm90a, kSm90a));
  EXPECT_FALSE(satisfies(kSm90, kSm90a));
  EXPECT_FALSE(satisfies(kSm100a, kSm90a));
  EXPECT_FALSE(satisfies(kSm80, kSm90));
}

TEST(Arch, SatisfiesItsFamily) {
  EXPECT_TRUE(satisfies(kSm103a, kSm100f));
  EXPECT_TRUE(satisfies(kSm100f, kSm100f));
  EXPECT_FALSE(satisfies(kSm120a, kSm100f));
  EXPECT_FALSE(satisfies({103, '\0'}, kSm100f));
}

TEST(Arch, RunsBinariesOfItsOwnAndLesserOnesOfTheSameTens) {
  EXPECT_TRUE(runs_on(kSm90a, kSm90a));
  EXPECT_TRUE(runs_on(kSm80, {89, '\0'}));
  EXPECT_TRUE(runs_on(kSm100f, kSm103a));
  EXPECT_FALSE(runs_on({89, '\0'}, kSm80));
  EXPECT_FALSE(runs_on(kSm80, kSm90a));
  EXPECT_FALSE(runs_on(kSm100a, kSm103a));
}

}  // namespace
}  // namespace kmux::nvidia
