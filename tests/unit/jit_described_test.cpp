#include "kmux/jit_described.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit_config.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Partly {
  int named = 0;
  int forgotten = 0;
};
BOOST_DESCRIBE_STRUCT(Partly, (), (named))

struct Swapped {
  int first = 0;
  std::string second = {};
};
BOOST_DESCRIBE_STRUCT(Swapped, (), (second, first))
struct Ends {
  int named = 0;
  std::optional<std::vector<int>> forgotten = {};
};
BOOST_DESCRIBE_STRUCT(Ends, (), (named))

struct Base {
  int inherited = 1;
};
BOOST_DESCRIBE_STRUCT(Base, (), (inherited))
struct Derived : Base {
  int own = 2;
};
BOOST_DESCRIBE_STRUCT(Derived, (Base), (own))

static_assert(described::describes_all_members<EveryKind>());
static_assert(described::describes_all_members<Tile>());
static_assert(!described::describes_all_members<Partly>());
static_assert(!described::describes_all_members<Swapped>());
static_assert(!described::describes_all_members<Ends>());
static_assert(described::describes_all_members<Derived>());  // cannot be detected
static_assert(!described::Value<void*> && !described::Value<long double> && !described::Struct<std::string>);

std::vector<std::uint64_t> words_of(const EveryKind& config) {
  CallForm form;
  described::encode(form, config);
  return {form.words().begin(), form.words().end()};
}

/// Returns `config` with the member `name` set from JSON text.
Result<EveryKind> with(const std::string& name, const std::string& json) {
  EveryKind config;
  KMUX_TRY(described::assign_member(config, name, parse_json(json).value()));
  return config;
}
std::string refused(const std::string& name, const std::string& json) {
  const Result<EveryKind> config = with(name, json);
  if (config) return "not refused";
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  return config.error().message;
}

TEST(JitDescribedTest, WritesEveryKindAsJson) {
  EXPECT_EQ(dump(described::to_json(EveryKind{})),
            R"({"bits":[],"dtype":"float16","flag":false,"large":1,"layout":"kRow","maybe":null,"pair":[true,false],)"
            R"("plain":-1,"real":0.1,"single_":0.5,"small":-1,"text":"x","tile":{"m":64,"n":32},"words":["a","b"]})");
}

TEST(JitDescribedTest, RoundTripsThroughJson) {
  const EveryKind config{.flag = true,
                         .small = 127,
                         .large = UINT64_MAX,
                         .single_ = 1e-30F,
                         .real = -INFINITY,
                         .text = "\"",
                         .layout = Layout::kColumn,
                         .plain = Plain::kSecond,
                         .dtype = dtype::kBFloat16,
                         .maybe = 3,
                         .words = {},
                         .pair = {false, true},
                         .bits = {true},
                         .tile = {1, 2}};
  EveryKind read;
  ASSERT_TRUE(described::assign(read, described::to_json(config), "").ok());
  EXPECT_EQ(words_of(read), words_of(config));
  EXPECT_NE(words_of(read), words_of(EveryKind{}));
}

TEST(JitDescribedTest, EncodesEveryMemberInWords) {
  const std::set<std::vector<std::uint64_t>> forms{
      words_of({}),
      words_of(with("flag", "true").value()),
      words_of(with("small", "-128").value()),
      words_of(with("large", "18446744073709551").value()),
      words_of(with("single_", "1").value()),
      words_of(with("real", "\"nan\"").value()),
      words_of(with("real", "0.0").value()),
      words_of(with("real", "-0.0").value()),
      words_of(with("text", "\"y\"").value()),
      words_of(with("layout", "\"kColumn\"").value()),
      words_of(with("plain", "1").value()),
      words_of(with("dtype", "\"float32\"").value()),
      words_of(with("maybe", "0").value()),
      words_of(with("words", R"(["ab"])").value()),
      words_of(with("pair", "[true, true]").value()),
      words_of(with("bits", "[false]").value()),
      words_of(with("tile", R"({"n": 33})").value()),
  };
  EXPECT_EQ(forms.size(), 17U);
  EXPECT_EQ(words_of(with("real", "\"nan\"").value()), words_of(with("real", "\"nan\"").value()));
}

TEST(JitDescribedTest, KeepsUnnamedMembers) {
  const EveryKind config = with("tile", R"({"n": 8})").value();
  EXPECT_EQ(config.tile.m, 64);
  EXPECT_EQ(config.tile.n, 8);
  EXPECT_EQ(with("maybe", "null").value().maybe, std::nullopt);
  EXPECT_DOUBLE_EQ(with("real", "3").value().real, 3.0);
}

TEST(JitDescribedTest, NamesTypes) {
  EXPECT_EQ(described::type_name<EveryKind>(),
            "{flag: bool, small: int8, large: uint64, single_: float32, real: float64, text: string, "
            "layout: kRow | kColumn, plain: enum, dtype: dtype, maybe: optional[int32], words: list[string], "
            "pair: list[bool], bits: list[bool], tile: {m: int64, n: int64}}");
}

TEST(JitDescribedTest, IncludesBaseMembers) {
  Derived derived;
  ASSERT_TRUE(described::assign_member(derived, "inherited", 5).ok());
  EXPECT_EQ(dump(described::to_json(derived)), R"({"inherited":5,"own":2})");
}

TEST(JitDescribedTest, RejectsValuesOfWrongType) {
  EXPECT_EQ(refused("flag", "1"), "the value of \"flag\" is 1 (bool is wanted). Give a value of that type.");
  EXPECT_THAT(refused("small", "128"), HasSubstr("\"small\" is 128 (int8 is wanted)"));
  EXPECT_THAT(refused("small", "1.5"), HasSubstr("int8 is wanted"));
  EXPECT_THAT(refused("small", "true"), HasSubstr("int8 is wanted"));
  EXPECT_THAT(refused("large", "-1"), HasSubstr("uint64 is wanted"));
  EXPECT_THAT(refused("large", "\"12x\""), HasSubstr("uint64 is wanted"));
  EXPECT_THAT(refused("large", "\"18446744073709551616\""), HasSubstr("uint64 is wanted"));
  EXPECT_THAT(refused("real", "\"big\""), HasSubstr("float64 is wanted"));
  EXPECT_THAT(refused("text", "3"), HasSubstr("string is wanted"));
  EXPECT_THAT(refused("dtype", "\"float17\""), HasSubstr("\"dtype\" is \"float17\" (dtype is wanted)"));
  EXPECT_THAT(refused("maybe", "\"x\""), HasSubstr("int32 is wanted"));
  EXPECT_THAT(refused("plain", "\"kFirst\""), HasSubstr("int8 is wanted"));
  EXPECT_THAT(refused("words", "{}"), HasSubstr("list[string] is wanted"));
  EXPECT_THAT(refused("words", R"(["a", 2])"), HasSubstr("\"words[1]\" is 2 (string is wanted)"));
  EXPECT_THAT(refused("pair", "[true]"), HasSubstr("list[bool] of 2 is wanted"));
  EXPECT_THAT(refused("tile", "3"), HasSubstr("\"tile\" is 3 ({m: int64, n: int64} is wanted)"));
}

TEST(JitDescribedTest, ListsValidNamesOnError) {
  EXPECT_THAT(refused("layout", "\"kRows\""), AllOf(HasSubstr("\"layout\" is \"kRows\" (it can be kRow, kColumn)."),
                                                    HasSubstr("Did you mean 'kRow'?")));
  EXPECT_THAT(refused("flags", "true"), AllOf(HasSubstr("unknown name \"flags\" (the configuration has flag, small,"),
                                              HasSubstr("Did you mean 'flag'? Correct or remove it.")));
  EXPECT_THAT(refused("tile", R"({"k": 1})"), HasSubstr("unknown name \"tile.k\" (\"tile\" has m, n)."));
}

TEST(JitDescribedTest, WritesUnnamedEnumeratorAsNumber) {
  EXPECT_EQ(dump(described::to_json(static_cast<Layout>(7))), "7");
}

}  // namespace
}  // namespace kmux
