#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kmux/json.h"

namespace kmux {
namespace {

TEST(JsonListTest, HoldsTextsAndNumbersInOrder) {
  EXPECT_EQ(dump(json_list(std::vector<std::string>{"b", "a\n"})), R"(["b","a\n"])");
  EXPECT_EQ(dump(json_list(std::array<std::int64_t, 2>{2, -1})), "[2,-1]");
  EXPECT_EQ(dump(json_list(std::vector<std::string>{})), "[]");
}

}  // namespace
}  // namespace kmux
