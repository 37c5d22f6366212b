#include "kmux/plugin/meta_reader.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(MetaReader, ReadsTextsChoicesListsAndMaps) {
  const MetaReader meta =
      MetaReader::parse(R"({"arch": "a1", "graph": true, "flags": ["x", "y"], "symbols": {"k": "_k"}})", "b").value();
  std::string arch;
  bool graph = false;
  std::vector<std::string> flags;
  std::map<std::string, std::string> symbols;
  EXPECT_TRUE(meta.read("arch", arch).ok());
  EXPECT_TRUE(meta.read("graph", graph).ok());
  EXPECT_TRUE(meta.read("flags", flags).ok());
  EXPECT_TRUE(meta.read("symbols", symbols).ok());
  EXPECT_EQ(arch, "a1");
  EXPECT_TRUE(graph);
  EXPECT_THAT(flags, ElementsAre("x", "y"));
  EXPECT_THAT(symbols, ElementsAre(Pair("k", "_k")));
}

TEST(MetaReader, NamesTheKeyThatIsNotAsExpected) {
  const MetaReader meta = MetaReader::parse(R"({"flags": ["x", 1], "symbols": {"k": 1}, "graph": 1})", "b").value();
  std::string text;
  bool choice = false;
  std::vector<std::string> texts;
  std::map<std::string, std::string> map;
  for (const Status& status : {meta.read("arch", text), meta.read("graph", choice), meta.read("flags", texts),
                               meta.read("symbols", map), MetaReader::parse("[]", "b").value().read("arch", text)}) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message, HasSubstr("(backend b). Build it again."));
  }
  EXPECT_THAT(meta.read("arch", text).error().message, HasSubstr("no valid \"arch\""));
  EXPECT_FALSE(MetaReader::parse("{", "b").ok());
}

}  // namespace
}  // namespace kmux
