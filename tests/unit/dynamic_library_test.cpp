#include "kmux/plugin/dynamic_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

TEST(DynamicLibraryTest, OpensFirstLoadableName) {
  const auto library = DynamicLibrary::open({"libkmux-none.so.9", "libm.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name(), "libm.so.6");
  const auto cosine = library->function<double(double)>("cos");
  ASSERT_TRUE(cosine);
  EXPECT_EQ((*cosine)(0.0), 1.0);
}

TEST(DynamicLibraryTest, ListsEveryNameItTried) {
  const auto library = DynamicLibrary::open({"libkmux-none.so.1", "libkmux-none.so.2"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(library.error().message, HasSubstr("libkmux-none.so.1"));
  EXPECT_THAT(library.error().message, HasSubstr("libkmux-none.so.2"));
}

TEST(DynamicLibraryTest, ReportsMissingSymbol) {
  const auto symbol = DynamicLibrary::open({"libm.so.6"}).value().symbol("kmux_no_such_symbol");
  ASSERT_FALSE(symbol);
  EXPECT_EQ(symbol.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(symbol.error().message, HasSubstr("\"kmux_no_such_symbol\" in \"libm.so.6\""));
}

}  // namespace
}  // namespace kmux
