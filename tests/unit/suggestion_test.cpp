// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/suggestion.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

const std::vector<std::string> kCommands = {"plugins", "devices", "resolve", "compile", "run"};

TEST(Suggestion, FindsSwappedMissingAndWrongLetters) {
  EXPECT_EQ(nearest("plugisn", kCommands), "plugins");
  EXPECT_EQ(nearest("resolv", kCommands), "resolve");
  EXPECT_EQ(nearest("COMPILE", kCommands), "compile");
  EXPECT_EQ(nearest("rum", kCommands), "run");
}

TEST(Suggestion, FindsNothingFarAway) {
  EXPECT_EQ(nearest("launch", kCommands), std::nullopt);
  EXPECT_EQ(nearest("", kCommands), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(Suggestion, TakesTheFirstOfEquals) { EXPECT_EQ(nearest("cat", {"car", "cap"}), "car"); }

TEST(Suggestion, WordsTheQuestion) {
  EXPECT_EQ(did_you_mean("resolv", kCommands), " Did you mean 'resolve'?");
  EXPECT_EQ(did_you_mean("launch", kCommands), "");
  EXPECT_EQ(did_you_mean("run", kCommands), "");
}

}  // namespace
}  // namespace kmux
