#include "kmux/plugin/headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

using testing::Contains;
using testing::ElementsAre;

class HeadersOfVariantTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  Variant variant(const std::string& text) {
    Variant made;
    made.dialect = "cuda";
    made.sources = {{"k.cu", text}};
    return made;
  }
  TempFolder folder;
  Headers headers;
};

TEST_F(HeadersOfVariantTest, AreNotScannedWithoutIncludes) {
  EXPECT_FALSE(headers.scan(variant("__global__ void k() {}"), {{at("inc")}, {}, {}}).has_value());
}

TEST_F(HeadersOfVariantTest, AreSearchedInFlagFoldersFirst) {
  folder.write("flag/x.h", "");
  folder.write("inc/x.h", "");
  folder.write("inc/y.h", "");
  const auto found =
      headers.scan(variant("#include <x.h>\n#include \"y.h\"\n"), {{at("inc")}, {"-I" + at("flag")}, {}});
  EXPECT_THAT(found->files, ElementsAre(at("flag/x.h"), at("inc/y.h")));
  EXPECT_THAT(found->absent, ElementsAre(at("flag/y.h")));
}

TEST_F(HeadersOfVariantTest, EmbeddedHeadersHideSystemHeaders) {
  folder.write("inc/x.h", "");
  Variant with_header = variant("#include \"x.h\"\n");
  with_header.headers = {{"x.h", ""}};
  EXPECT_TRUE(headers.scan(with_header, {{at("inc")}, {}, {}})->files.empty());
}

TEST_F(HeadersOfVariantTest, IncludePreludesDefinesAndImplicitHeaders) {
  folder.write("inc/prelude.h", "");
  folder.write("inc/by_setting.h", "");
  folder.write("inc/by_flag.h", "");
  folder.write("inc/implicit.h", "");
  Variant all = variant("#include SETTING\n#include FLAG\n");
  all.settings.preludes = {"prelude.h"};
  all.settings.defines = {"SETTING=<by_setting.h>"};
  const auto found = headers.scan(all, {{at("inc")}, {"--define-macro=FLAG=<by_flag.h>"}, {"implicit.h"}});
  EXPECT_THAT(found->files,
              ElementsAre(at("inc/by_flag.h"), at("inc/by_setting.h"), at("inc/implicit.h"), at("inc/prelude.h")));
  EXPECT_TRUE(found->complete);
}

TEST_F(HeadersOfVariantTest, UnknownMacroMakesScanIncomplete) {
  EXPECT_FALSE(headers.scan(variant("#include UNKNOWN\n"), {{at("inc")}, {}, {}})->complete);
}

}  // namespace
}  // namespace kmux
