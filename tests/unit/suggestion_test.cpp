// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/suggestion.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

const std::vector<std::string> kCommands = {"plugins", "devices", "resolve", "compile", "run"};

TEST(SuggestionTest, FindsSwappedMissingAndWrongLetters) {
  EXPECT_EQ(nearest("plugisn", kCommands), "plugins");
  EXPECT_EQ(nearest("resolv", kCommands), "resolve");
  EXPECT_EQ(nearest("COMPILE", kCommands), "compile");
  EXPECT_EQ(nearest("rum", kCommands), "run");
}

TEST(SuggestionTest, IgnoresDistantWords) {
  EXPECT_EQ(nearest("launch", kCommands), std::nullopt);
  EXPECT_EQ(nearest("", kCommands), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest("run", {}), std::nullopt);
}

TEST(SuggestionTest, PrefersFirstOfEqualMatches) { EXPECT_EQ(nearest("cat", {"car", "cap"}), "car"); }

TEST(SuggestionTest, PrintsDidYouMean) {
  EXPECT_EQ(did_you_mean("resolv", kCommands), " Did you mean 'resolve'?");
  EXPECT_EQ(did_you_mean("launch", kCommands), "");
  EXPECT_EQ(did_you_mean("run", kCommands), "");
}

}  // namespace
}  // namespace kmux
