#include <gtest/gtest.h>

#include "kmux/plugin/words.h"

namespace kmux {
namespace {

const std::vector<std::string> kCommands = {"plugins", "devices", "resolve", "compile", "run"};

TEST(Nearest, FindsSwappedMissingAndWrongLetters) {
  EXPECT_EQ(nearest("plugisn", kCommands), "plugins");
  EXPECT_EQ(nearest("resolv", kCommands), "resolve");
  EXPECT_EQ(nearest("COMPILE", kCommands), "compile");
  EXPECT_EQ(nearest("rum", kCommands), "run");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("launch", kCommands), std::nullopt);
  EXPECT_EQ(nearest("", kCommands), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(Nearest, TakesTheFirstOfEquals) { EXPECT_EQ(nearest("cat", {"car", "cap"}), "car"); }

TEST(Nearest, WordsTheQuestion) {
  EXPECT_EQ(did_you_mean("resolv", kCommands), " Did you mean 'resolve'?");
  EXPECT_EQ(did_you_mean("launch", kCommands), "");
  EXPECT_EQ(did_you_mean("run", kCommands), "");
}

}  // namespace
}  // namespace kmux
