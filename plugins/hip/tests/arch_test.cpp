#include <gtest/gtest.h>

#include "device.h"

namespace kmux::hip {
namespace {

TEST(ArchTest, ParsesNameWithoutFeatures) {
  EXPECT_EQ(parse_arch("gfx90a:sramecc+:xnack-"), "gfx90a");
  EXPECT_EQ(parse_arch("gfx1100"), "gfx1100");
}

TEST(ArchTest, RejectsInvalidNames) {
  for (const char* text : {"", "gfx", "gfx9", "sm_90", "gfx90z", "gfxa42", "gfx11000", "gfx7-generic", "gfx9-"}) {
    EXPECT_EQ(parse_arch(text), std::nullopt) << text;
  }
}

TEST(ArchTest, Rocm5LacksLaterArchitectures) {
  for (const char* arch : {"gfx906", "gfx90a", "gfx940", "gfx1030"}) EXPECT_TRUE(is_known_to_rocm5(arch)) << arch;
  for (const char* arch : {"gfx942", "gfx950", "gfx1100", "gfx1201"}) EXPECT_FALSE(is_known_to_rocm5(arch)) << arch;
}

TEST(ArchTest, GenericCoversSeveralArchitectures) {
  EXPECT_EQ(parse_arch("gfx9-generic:xnack-"), "gfx9-generic");
  EXPECT_TRUE(is_generic("gfx10-3-generic"));
  EXPECT_FALSE(is_generic("gfx1030"));
  EXPECT_TRUE(is_generic_of("gfx11-generic", "gfx1100"));
  EXPECT_TRUE(is_generic_of("gfx9-4-generic", "gfx942"));
  EXPECT_FALSE(is_generic_of("gfx9-generic", "gfx90a"));
  EXPECT_FALSE(is_generic_of("gfx1100", "gfx1100"));
  EXPECT_FALSE(is_known_to_rocm5("gfx10-1-generic"));
}

TEST(ArchTest, ReportsWavefrontSize) {
  EXPECT_EQ(wavefront_size("gfx9-4-generic"), 64);
  EXPECT_EQ(wavefront_size("gfx11-generic"), 32);
  EXPECT_EQ(wavefront_size("gfx942"), 64);
  EXPECT_EQ(wavefront_size("gfx1201"), 32);
}

}  // namespace
}  // namespace kmux::hip
