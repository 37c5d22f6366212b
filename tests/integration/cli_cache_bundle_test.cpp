// `kmux cache export` and `import`: one machine need not build code that another machine has built.

#include "kmux/json.h"

#include "integration/cli_session.h"

namespace kmux::test {
namespace {

class CliCacheBundleTest : public testing::Test {
 protected:
  ProcessResult run(const char* cache, const std::vector<std::string>& words) const {
    return session_.run(words, {{"KMUX_CACHE_DIR", (session_.folder() / cache).string()}});
  }
  bool compiles(const char* cache) const {
    const ProcessResult result = run(cache, {"compile", "scale/scale.kmux.json", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return !*parse_json(result.standard_output).value().find("from_cache")->as_bool();
  }
  CliSession session_;
};

TEST_F(CliCacheBundleTest, ImportAvoidsCompileOnOtherMachine) {
  EXPECT_TRUE(compiles("one"));
  const ProcessResult exported = run("one", {"cache", "export", "all.tar.zst"});
  EXPECT_EQ(exported.exit_code, 0) << exported.standard_error;
  EXPECT_THAT(exported.standard_output, HasSubstr("1 build exported"));
  const ProcessResult imported = run("two", {"cache", "import", "all.tar.zst"});
  EXPECT_EQ(imported.exit_code, 0) << imported.standard_error;
  EXPECT_THAT(imported.standard_output, HasSubstr("1 build imported"));
  EXPECT_FALSE(compiles("two"));
  EXPECT_THAT(run("two", {"cache", "import", "all.tar.zst"}).standard_output, HasSubstr("1 there already"));
}

TEST_F(CliCacheBundleTest, RejectsMissingOrInvalidBundle) {
  const ProcessResult nameless = run("one", {"cache", "export"});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_THAT(nameless.standard_error, HasSubstr("the bundle's name is missing"));
  session_.write("bad.tar.zst", "no bundle");
  EXPECT_EQ(run("one", {"cache", "import", "bad.tar.zst"}).exit_code, 3);
  EXPECT_EQ(run("one", {"cache", "import", "none.tar.zst"}).exit_code, 3);
}

}  // namespace
}  // namespace kmux::test
