#include "kmux/plugin/meta_reader.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(MetaReaderTest, ReadsStringsBoolsListsAndMaps) {
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

TEST(MetaReaderTest, ReportsInvalidOrMissingKey) {
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

const std::vector<CodeVariable>& variables() {
  static const std::vector<CodeVariable> all = {
      {"weights", 16},
      {"_ZN7filters4biasE", 4},
      {"_ZN32_INTERNAL_89b8bf71_4_t_cu_unused7filters4onlyE", 4},
      {"_ZN32_INTERNAL_89b8bf71_4_t_cu_unused7filters34_GLOBAL__N__89b8bf71_4_t_cu_unused5scaleE", 4},
      {"_ZN1a5twiceE", 4},
      {"_ZN32_INTERNAL_89b8bf71_4_t_cu_unused1a5twiceE", 4}};
  return all;
}

TEST(ConstantsTest, AreFoundBySourceName) {
  const auto found =
      find_constants({{"weights", dtype::kFloat32, {4}}, {"filters::bias"}, {"filters::only"}, {"filters::scale"}},
                     variables())
          .value();
  EXPECT_EQ(found[0], (ConstantSymbol{"weights", "weights", 16}));
  EXPECT_EQ(found[1].symbol, "_ZN7filters4biasE");
  EXPECT_EQ(found[2].symbol, variables()[2].symbol);
  EXPECT_EQ(found[3].symbol, variables()[3].symbol);
  Artifact artifact;
  set_constants(artifact, found);
  EXPECT_EQ(symbol_of(constants_of(artifact, "b").value(), "filters::bias").value()->bytes, 4U);
  EXPECT_EQ(symbol_of(found, "bias").error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(constants_of({}, "b").value().empty());
}

TEST(ConstantsTest, MissingAmbiguousOrMismatchedConstantsAreRejected) {
  const auto message = [](Constant constant) { return find_constants({constant}, variables()).error().message; };
  EXPECT_THAT(message({"bias"}),
              HasSubstr("constant \"bias\" is not in the compiled code (the code has weights, filters::bias"));
  EXPECT_THAT(message({"a::twice"}), HasSubstr("is in the compiled code more than once"));
  EXPECT_THAT(message({"weights", dtype::kInt8, {4}}),
              HasSubstr("has 16 bytes in the code (the program declares int8[4], which has 4)"));
}

TEST(ConstantsTest, RejectDamagedArtifact) {
  for (const char* text : {"1", "{\"w\":1}", "{\"w\":{\"symbol\":\"w\"}}", "{"}) {
    Artifact artifact;
    artifact.set("constants.json", text);
    EXPECT_EQ(constants_of(artifact, "b").error().code, ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace kmux
