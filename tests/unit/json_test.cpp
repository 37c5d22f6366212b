#include "kmux/json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::HasSubstr;

TEST(JsonTest, DistinguishesIntegersFromNumbers) {
  EXPECT_EQ(parse_json("1").value().kind(), "integer");
  EXPECT_EQ(parse_json("1.0").value().kind(), "number");
  EXPECT_EQ(*parse_json("-9223372036854775808").value().as_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*parse_json("9223372036854775808").value().as_double(), 9223372036854775808.0);
  EXPECT_EQ(parse_json("2").value().as_number(), 2.0);
  EXPECT_EQ(parse_json("2.5").value().as_number(), 2.5);
  EXPECT_EQ(parse_json("\"2\"").value().as_number(), std::nullopt);
}

TEST(JsonTest, NamesEveryKind) {
  const Json all = parse_json(R"([null, true, 1, 1.5, "x", [], {}])").value();
  std::string kinds;
  for (const Json& item : *all.as_array()) kinds.append(item.kind()).append(" ");
  EXPECT_EQ(kinds, "null boolean integer number string array object ");
}

TEST(JsonTest, FindsMembers) {
  Json object;
  object["a"]["b"] = 3;
  ASSERT_NE(object.find("a"), nullptr);
  EXPECT_EQ(*object.find("a")->find("b"), Json(3));
  EXPECT_EQ(object.find("x"), nullptr);
  EXPECT_EQ(Json(1).find("x"), nullptr);
}

TEST(JsonTest, DumpsCanonically) {
  const Json value = parse_json(" {\"b\" : [1, 2.0, \"\\u0041\\n\\u0001\"],\n\"a\": {}, \"c\": [ ]} ").value();
  EXPECT_EQ(dump(value), R"({"a":{},"b":[1,2.0,"A\n\u0001"],"c":[]})");
}

TEST(JsonTest, DumpsIndented) {
  EXPECT_EQ(dump(parse_json(R"({"a":[1,2],"b":{},"c":[]})").value(), 2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}");
}

TEST(JsonTest, DumpsShortestRoundTripNumbers) {
  EXPECT_EQ(dump(Json(0.1)), "0.1");
  EXPECT_EQ(dump(Json(1e300)), "1e+300");
  EXPECT_EQ(dump(Json(3.0)), "3.0");
  EXPECT_EQ(dump(Json(std::nan(""))), "null");
}

struct Malformed {
  std::string text;
  std::string place;
  std::string problem;
};

TEST(JsonTest, RejectsMalformedJson) {
  const std::vector<Malformed> cases = {
      {"", "line 1, column 1", "unexpected end of input"},
      {"{\"a\":1,}", "line 1, column 8", "expected string literal"},
      {"[1,\n2,\n x]", "line 3, column 2", "invalid literal"},
      {"[1 x]", "line 1, column 4", "invalid literal"},
      {"1 1", "line 1", "expected end of input"},
      {"{\"a\":1,\n\"a\":2}", "line 2, column 3", "the key \"a\" occurs twice"},
      {"\"\xff\"", "line 1, column 2", "ill-formed UTF-8"},
      {"\"\xc0\x80\"", "line 1", "ill-formed UTF-8"},
      {"\"\xed\xa0\x80\"", "line 1", "ill-formed UTF-8"},
      {"\"\\ud800\"", "line 1", "surrogate"},
      {"1e999", "line 1", "number overflow"},
      {"NaN", "line 1", "invalid literal"},
      {"'a'", "line 1", "invalid literal"},
      {"// a\n1", "line 1", "invalid literal"},
      {std::string("1\n\0", 3), "line 2, column 1", "zero byte"},
  };
  for (const Malformed& test : cases) {
    const auto result = parse_json(test.text);
    ASSERT_FALSE(result) << test.text;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr(test.place)) << test.text;
    EXPECT_THAT(result.error().message, HasSubstr(test.problem)) << test.text;
  }
}

TEST(JsonTest, LimitsDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(200)));
  EXPECT_THAT(parse_json(nested(201)).error().message, HasSubstr("deeper than 200"));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(JsonTest, QuotesUnprintableInputSafely) {
  const std::string message = parse_json(std::string(5000, '\xfe')).error().message;
  EXPECT_LT(message.size(), 400u);
  for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~');
}

class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}

  Json value(int depth) {
    switch (pick(depth == 0 ? 5 : 7)) {
      case 0:
        return Json();
      case 1:
        return pick(2) == 0;
      case 2:
        return static_cast<std::int64_t>(random_());
      case 3:
        return number();
      case 4:
        return text();
      case 5:
        return array(depth);
      default:
        return object(depth);
    }
  }

 private:
  double number() {
    double value = 0;
    do {
      const std::uint64_t bits = random_();
      std::memcpy(&value, &bits, sizeof value);
    } while (!std::isfinite(value));
    return value;
  }
  std::string text() {
    const std::vector<std::string> pieces = {
        "a", "\"", "\\", "\n", std::string(1, '\0'), "\x7f", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "/", "\t"};
    std::string out;
    for (int i = pick(6); i > 0; --i) out += pieces[static_cast<std::size_t>(pick(static_cast<int>(pieces.size())))];
    return out;
  }
  Json array(int depth) {
    Json::Array items;
    for (int i = pick(4); i > 0; --i) items.push_back(value(depth - 1));
    return items;
  }
  Json object(int depth) {
    Json::Object members;
    for (int i = pick(4); i > 0; --i) members[text()] = value(depth - 1);
    return members;
  }
  int pick(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }
  std::mt19937_64 random_;
};

TEST(JsonTest, RoundTripsRandomValues) {
  RandomJson random(7);
  for (int i = 0; i < 2000; ++i) {
    const Json value = random.value(4);
    for (const int indent : {0, 2}) {
      const auto again = parse_json(dump(value, indent));
      ASSERT_TRUE(again) << again.error().message;
      ASSERT_EQ(*again, value);
    }
  }
}

TEST(JsonTest, SurvivesDamagedDocuments) {
  RandomJson random(8);
  std::mt19937 damage(9);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = dump(random.value(3));
    text[damage() % text.size()] = static_cast<char>(damage());
    const auto result = parse_json(text);
    refused += result ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace kmux
