#include "headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../tests/temp_folder.h"
#include "jobs.h"

namespace kmux::cpu {

using namespace simt;
namespace {

TEST(LeaveOutTest, RemovesAllFilesOfFolder) {
  Dependencies read{.files = {"/opt/a.h", "/pkg/clang/a.h", "/pkg/clang-more/a.h", "/usr/a.h"},
                    .absent = {"/pkg/clang/b.h", "/usr/b.h"},
                    .seen = DependencySight{.passed = {"/pkg/clang/b.h", "/usr/b.h"}}};
  for (std::uint64_t size = 1; size <= 4; ++size) read.seen->files.push_back({.size = size});
  leave_out(read, "/pkg/clang");
  EXPECT_EQ(read, (Dependencies{.files = {"/opt/a.h", "/pkg/clang-more/a.h", "/usr/a.h"}, .absent = {"/usr/b.h"}}));
  ASSERT_TRUE(read.seen);
  ASSERT_EQ(read.seen->files.size(), 3U);
  EXPECT_EQ(read.seen->files[1].size, 3U);
  EXPECT_EQ(read.seen->passed, std::vector<std::string>{"/usr/b.h"});
}

using testing::Contains;
using testing::ElementsAre;

Result<std::vector<std::string>> no_folders(Language) { return std::vector<std::string>(); }

class HeadersTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  CompileJob job(const std::string& text, std::vector<std::string> arguments = {}) {
    CompileJob made = job_of("f.c", text);
    made.units[0].arguments = std::move(arguments);
    return made;
  }
  Dependencies scan(const CompileJob& what, const Headers::SystemFolders& folders = no_folders) {
    return headers_.scan(what, folders).value().value();
  }
  TempFolder folder_;
  Headers headers_;
};

TEST_F(HeadersTest, AreNotSearchedWithoutIncludes) {
  const auto never = [](Language) -> Result<std::vector<std::string>> {
    ADD_FAILURE() << "asked for the system's folders";
    return std::vector<std::string>();
  };
  EXPECT_FALSE(headers_.scan(job("int f(int x) { return x; }"), never).value());
}

TEST_F(HeadersTest, AreFoundInJobAndLanguageFolders) {
  folder_.write("user/a.h", "");
  folder_.write("system/b.h", "");
  const auto folders = [&](Language language) -> Result<std::vector<std::string>> {
    EXPECT_EQ(language, Language::kC);
    return std::vector<std::string>{at("system")};
  };
  const Dependencies found = scan(job("#include <a.h>\n#include <b.h>\n", {"-I" + at("user")}), folders);
  EXPECT_THAT(found.files, ElementsAre(at("system/b.h"), at("user/a.h")));
  EXPECT_THAT(found.absent, Contains(at("user/b.h")));
}

TEST_F(HeadersTest, KeepPositionOfSystemFolder) {
  folder_.write("one/a.h", "");
  folder_.write("two/a.h", "");
  const auto folders = [&](Language) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{at("one"), at("two")};
  };
  EXPECT_THAT(scan(job("#include <a.h>", {"-I" + at("two")}), folders).files, ElementsAre(at("one/a.h")));
}

TEST_F(HeadersTest, AreFoundThroughPreludesAndDefines) {
  folder_.write("a.h", "");
  folder_.write("b.h", "");
  CompileJob made = job("#include HEADER\n", {"-I" + at(""), "-DHEADER=<b.h>", "-DONE", "-include", "inc/prelude.h"});
  made.files.push_back({"inc/prelude.h", "#include <a.h>\n"});
  const Dependencies found = scan(made);
  EXPECT_THAT(found.files, ElementsAre(at("a.h"), at("b.h")));
  EXPECT_TRUE(found.complete);
}

TEST_F(HeadersTest, AreMergedFromAllUnits) {
  folder_.write("a.h", "");
  folder_.write("b.h", "");
  CompileJob made = job("#include <a.h>\n", {"-I" + at("")});
  made.files.push_back({"g.c", "#include <b.h>\n#include MACRO\n"});
  made.units.push_back({"g.c", Language::kC, {"-I" + at("")}});
  const Dependencies found = scan(made);
  EXPECT_THAT(found.files, ElementsAre(at("a.h"), at("b.h")));
  EXPECT_FALSE(found.complete);
}

TEST_F(HeadersTest, PropagateFolderErrors) {
  const auto failing = [](Language) -> Result<std::vector<std::string>> {
    return make_error(ErrorCode::kUnavailable, "no compiler");
  };
  const auto result = headers_.scan(job("#include <a.h>"), failing);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no compiler");
}

}  // namespace
}  // namespace kmux::cpu
