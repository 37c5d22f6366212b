#include "kmux/name_map.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(NameMapTest, SortsByNameAndKeepsFirstDuplicate) {
  const NameMap<int> map = {{"c", 3}, {"a", 1}, {"b", 2}, {"a", 9}};
  EXPECT_THAT(map, ElementsAre(Pair("a", 1), Pair("b", 2), Pair("c", 3)));
  EXPECT_EQ(map.size(), 3u);
  EXPECT_TRUE(NameMap<int>().empty());
}

TEST(NameMapTest, ConstructsFromMapRange) {
  const std::map<std::string, int> numbers = {{"b", 2}, {"a", 1}};
  EXPECT_EQ(NameMap<int>(numbers.begin(), numbers.end()), (NameMap<int>{{"a", 1}, {"b", 2}}));
}

TEST(NameMapTest, FindsOnlyStoredNames) {
  NameMap<int> map;
  for (int i = 0; i < 100; ++i) map[std::to_string(i * 37 % 100)] = i;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(map.at(std::to_string(i * 37 % 100)), i);
    EXPECT_FALSE(map.contains(std::to_string(i) + "x"));
  }
  EXPECT_FALSE(map.contains(""));
  EXPECT_EQ(map.find("100"), map.end());
  EXPECT_THROW((void)map.at("100"), std::out_of_range);
}

TEST(NameMapTest, EmplacesOnlyMissingNames) {
  NameMap<std::string> map;
  EXPECT_TRUE(map.emplace("engine", "host").second);
  const auto [place, added] = map.emplace("engine", "clang");
  EXPECT_FALSE(added);
  EXPECT_EQ(place->second, "host");
  map["engine"] += "s";
  EXPECT_EQ(map.at("engine"), "hosts");
  EXPECT_EQ(map["other"], "");
  map.insert_or_assign("engine", "none");
  EXPECT_FALSE(map.try_emplace("engine").second);
  EXPECT_EQ(map.at("engine"), "none");
}

TEST(NameMapTest, ErasesElements) {
  NameMap<int> map = {{"a", 1}, {"b", 2}, {"c", 3}};
  EXPECT_EQ(map.erase("b"), 1u);
  EXPECT_EQ(map.erase("b"), 0u);
  EXPECT_EQ(map.erase(map.find("a"))->first, "c");
  EXPECT_THAT(map, ElementsAre(Pair("c", 3)));
  map.clear();
  EXPECT_TRUE(map.empty());
}

TEST(NameMapTest, IsUsableAsSetKey) {
  using Names = NameMap<std::string>;
  const std::set<Names> set = {{{"a", "1"}}, {}, {{"a", "1"}}, {{"a", "1"}, {"b", ""}}, {{"b", ""}}};
  EXPECT_THAT(set, ElementsAre(Names{}, Names{{"a", "1"}}, Names{{"a", "1"}, {"b", ""}}, Names{{"b", ""}}));
}

}  // namespace
}  // namespace kmux
