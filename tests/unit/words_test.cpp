#include "kmux/words.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(Words, AreJoined) {
  EXPECT_EQ(join({"a", "b", ""}), "a, b, ");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({}, "<none>"), "<none>");
}

TEST(Words, GoToLowerCase) { EXPECT_EQ(lower_case("CUDA:sm_90A-\xC3\x84"), "cuda:sm_90a-\xC3\x84"); }

}  // namespace
}  // namespace kmux
