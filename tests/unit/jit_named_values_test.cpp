#include "kmux/jit_named_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit_config.h"

namespace kmux {
namespace {

using testing::HasSubstr;

std::string key_of(const NamedValues& values) {
  return dump(described::to_json(config_from<EveryKind>(values).value()));
}

TEST(JitNamedValuesTest, OverrideDefaults) {
  const EveryKind config = config_from<EveryKind>(NamedValues{{"text", "y"}, {"small", 3}}).value();
  EXPECT_EQ(config.text, "y");
  EXPECT_EQ(config.small, 3);
  EXPECT_EQ(config.tile.m, 64);
}

TEST(JitNamedValuesTest, AcceptEveryConfigurationType) {
  const EveryKind config = config_from<EveryKind>(NamedValues{{"layout", Layout::kColumn},
                                                              {"plain", Plain::kSecond},
                                                              {"dtype", dtype::kInt8},
                                                              {"words", std::vector<std::string>{"z"}},
                                                              {"maybe", std::optional<int>(4)},
                                                              {"large", UINT64_MAX},
                                                              {"tile", Tile{1, 2}}})
                               .value();
  EXPECT_EQ(config.layout, Layout::kColumn);
  EXPECT_EQ(config.plain, Plain::kSecond);
  EXPECT_EQ(config.dtype, dtype::kInt8);
  EXPECT_EQ(config.words, std::vector<std::string>{"z"});
  EXPECT_EQ(config.maybe, 4);
  EXPECT_EQ(config.large, UINT64_MAX);
  EXPECT_EQ(config.tile.n, 2);
}

TEST(JitNamedValuesTest, KeyIsIndependentOfOrder) {
  EXPECT_EQ(key_of({{"small", 3}, {"flag", true}}), key_of({{"flag", true}, {"small", 3}}));
  EXPECT_EQ(key_of({{"small", -1}}), key_of({}));  // the default
}

TEST(JitNamedValuesTest, RejectDuplicateNames) {
  const Error error = config_from<EveryKind>(NamedValues{{"flag", true}, {"text", "x"}, {"flag", true}}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, "name \"flag\" is given twice (in one list of named values). Give it once.");
}

TEST(JitNamedValuesTest, RejectUnknownNames) {
  const Error error = config_from<Tile>(NamedValues{{"k", 1}}).error();
  EXPECT_EQ(error.message, "unknown name \"k\" (the configuration has m, n). Correct or remove it.");
}

TEST(JitNamedValuesTest, MixWithAggregates) {
  using Form = ConfigForm<Tile>;
  EXPECT_EQ(config_from<Tile>(Form(Tile{.m = 5})).value().m, 5);
  EXPECT_EQ(config_from<Tile>(Form(NamedValues{{"m", 6}})).value().m, 6);
  EXPECT_THAT(config_from<Tile>(Form(NamedValues{{"m", "6"}})).error().message, HasSubstr("int64 is wanted"));
}

}  // namespace
}  // namespace kmux
