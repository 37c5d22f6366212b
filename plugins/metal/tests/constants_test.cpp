#include "constants.h"

#include <cstring>

#include <gmock/gmock.h>

namespace kmux::metal {
namespace {

using testing::HasSubstr;

template <class T>
T value_of(std::string_view text) {
  const Constant constant = parse_constant(text).value();
  T value;
  std::memcpy(&value, constant.bytes.data(), sizeof value);
  return value;
}

TEST(ConstantsTest, HaveNameOrIndex) {
  EXPECT_EQ(parse_constant("tile:int=16").value().name, "tile");
  EXPECT_EQ(parse_constant("7:int=16").value().index, 7U);
  EXPECT_EQ(parse_constant("7:int=16").value().name, "");
}

TEST(ConstantsTest, ValuesAreParsedByType) {
  EXPECT_EQ(value_of<int>("a:int=-3"), -3);
  EXPECT_EQ(value_of<std::uint64_t>("a:ulong=18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(value_of<float>("a:float=0.5"), 0.5F);
  EXPECT_EQ(value_of<char>("a:bool=true"), 1);
  EXPECT_EQ(parse_constant("a:bool=true").value().type, 53U);
}

TEST(ConstantsTest, InvalidTextIsRejected) {
  for (const char* text : {"tile", "tile:int", "tile=3", "ti le:int=3", "70000:int=3", "a:double=3", "a:int=x",
                           "a:char=300", "a:bool=1", ":int=3"}) {
    const auto constant = parse_constant(text);
    ASSERT_FALSE(constant.ok()) << text;
    EXPECT_EQ(constant.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(constant.error().message, HasSubstr(text));
  }
}

}  // namespace
}  // namespace kmux::metal
