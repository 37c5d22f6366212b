// Cases for seeds_test.py, each of which behaves differently under one seed.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "needs.h"

namespace kmux {
namespace {

int seed() {
  const char* const text = std::getenv("KMUX_FAKE_CUDA_SEED");
  return text == nullptr ? 0 : std::atoi(text);
}

TEST(ExampleTest, Passes) { EXPECT_GT(seed(), 0); }
TEST(ExampleTest, FailsUnderSeedThree) { EXPECT_NE(seed(), 3); }
TEST(ExampleTest, MisusesMemoryUnderSeedFour) {
  if (seed() == 4) std::fputs("fake libcuda: something is used after its free\n", stderr);
}
TEST(ExampleTest, AbortsUnderSeedFive) {
  if (seed() == 5) std::abort();
}
TEST(ExampleTest, HangsUnderSeedSix) {
  while (seed() == 6) std::this_thread::sleep_for(std::chrono::seconds(1));
}
TEST(ExampleTest, Skips) { GTEST_SKIP() << needs("nothing", "it always skips"); }

// Passes if the folder of the run has the file that an earlier seed left there.
TEST(ExampleTest, KeepsFilesOfEarlierSeeds) {
  const std::string kept = std::string(std::getenv("KMUX_SEEDS_CACHE")) + "/kept";
  EXPECT_EQ(std::ifstream(kept).good(), seed() > 1);
  std::ofstream(kept) << "kept";
}

// Passes if the program has no such folder.
TEST(ExampleTest, KeepsNothing) { EXPECT_EQ(std::getenv("KMUX_SEEDS_CACHE"), nullptr); }

}  // namespace
}  // namespace kmux
