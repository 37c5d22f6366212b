#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/jit_named_values.h"

#include "jit_config.h"

namespace kmux {
namespace {

using testing::ElementsAre;

struct Nothing {};
BOOST_DESCRIBE_STRUCT(Nothing, (), ())

TEST(JitSignatureTest, ListsNamesTypesAndDefaultsInOrder) {
  EXPECT_THAT(jit_signature<Tile>().parameters,
              ElementsAre(JitParameter{"m", "int64", 64}, JitParameter{"n", "int64", 32}));
}

TEST(JitSignatureTest, PrintsAsParameterList) {
  EXPECT_EQ(to_string(jit_signature<Tile>()), "(m: int64 = 64, n: int64 = 32)");
  EXPECT_EQ(to_string(jit_signature<Nothing>()), "()");
}

}  // namespace
}  // namespace kmux
