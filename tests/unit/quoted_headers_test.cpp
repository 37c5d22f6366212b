#include "kmux/plugin/quoted_headers.h"

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/program.h"

#include "../temp_folder.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kProgram =
    "//! kmux\n//! kernel twice(inout x: f32[4])\n//!   preludes \"own.h\"\n//!   headers \"own.h\"\n"
    "//!   launch twice<<<1, 4>>>(x)\n";

std::vector<std::string> paths_of(const std::vector<File>& files) {
  std::vector<std::string> paths;
  for (const File& file : files) paths.push_back(file.path);
  return paths;
}

/// A folder of a project with "src" and "inc".
class QuotedHeadersTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  std::vector<std::string> found(const std::string& text, HeaderReach reach = HeaderReach::kTree) {
    const std::vector<File> texts = {{"a.cu", text}};
    std::filesystem::create_directories(folder_.path() / "project" / "src");
    return paths_of(quoted_headers(texts, folder_.path() / "project" / "src", reach));
  }

  TempFolder folder_;
};

TEST_F(QuotedHeadersTest, AreFoundBesideTheIncludingFile) {
  write("project/src/near.h", "#include \"sub/deep.h\"\n");
  write("project/src/sub/deep.h", "#include \"beside.h\"\n#include \"../../inc/far.h\"\n");
  write("project/src/sub/beside.h", "");
  write("project/src/beside.h", "");
  write("project/inc/far.h", "#include \"farther.h\"\n");
  write("project/inc/farther.h", "#include \"far.h\"\n");
  EXPECT_THAT(found("#include \"near.h\"\n"),
              UnorderedElementsAre("near.h", "sub/deep.h", "sub/beside.h", "../inc/far.h", "../inc/farther.h"));
}

TEST_F(QuotedHeadersTest, OmitWhatCompilersSearchInTheirFolders) {
  write("project/src/near.h", "");
  EXPECT_THAT(found("#include <near.h>\n#include \"missing.h\"\n// #include \"near.h\"\n#include \"/etc/passwd\"\n"),
              IsEmpty());
}

TEST_F(QuotedHeadersTest, OfAFolderAreBelowIt) {
  write("project/src/near.h", "");
  write("project/inc/far.h", "");
  std::filesystem::create_symlink("../inc/far.h", folder_.path() / "project" / "src" / "link.h");
  const std::string text = "#include \"near.h\"\n#include \"../inc/far.h\"\n#include \"link.h\"\n";
  EXPECT_THAT(found(text, HeaderReach::kFolder), ElementsAre("near.h"));
  EXPECT_THAT(found(text), UnorderedElementsAre("near.h", "../inc/far.h", "link.h"));
}

TEST_F(QuotedHeadersTest, OmitHiddenFilesAndFolders) {
  write("project/.git/config", "");
  write("project/.env", "");
  EXPECT_THAT(found("#include \"../.git/config\"\n#include \"../.env\"\n"), IsEmpty());
}

TEST_F(QuotedHeadersTest, EndAtFoldersThatOthersMayWriteTo) {
  write("far.h", "");
  const std::string text = "#include \"../../far.h\"\n";
  EXPECT_THAT(found(text), ElementsAre("../../far.h"));
  chmod(folder_.path().c_str(), 01777);
  EXPECT_THAT(found(text), IsEmpty());
  chmod(folder_.path().c_str(), 0700);
}

TEST_F(QuotedHeadersTest, EndBelowTheUsersHome) {
  write("far.h", "");
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", folder_.path().c_str(), 1);
  EXPECT_THAT(found("#include \"../../far.h\"\n"), IsEmpty());
  setenv("HOME", before.c_str(), 1);
}

TEST_F(QuotedHeadersTest, BecomeFilesOfTheSourcesProgram) {
  write("project/src/a.cu", std::string(kProgram) + "#include \"../inc/far.h\"\n");
  write("project/src/own.h", "");
  write("project/inc/far.h", "int far;\n");
  const Program program = load_program(folder_.path() / "project" / "src" / "a.cu").value();
  const Variant& variant = program.variants.front();
  EXPECT_THAT(paths_of(variant.sources), ElementsAre("src/a.cu"));
  EXPECT_THAT(paths_of(variant.headers), ElementsAre("src/own.h", "inc/far.h"));
  EXPECT_THAT(variant.settings.preludes, ElementsAre("src/own.h"));
  EXPECT_EQ(variant.headers.back().content, "int far;\n");
}

TEST_F(QuotedHeadersTest, OfTheSourcesFolderAreFilesOnce) {
  write("project/src/a.cu", std::string(kProgram) + "#include \"sub/b.h\"\n#include \"../src/own.h\"\n");
  write("project/src/own.h", "#pragma once\n");
  write("project/src/sub/b.h", "#include \"own.h\"\n");
  const Program program = load_program(folder_.path() / "project" / "src" / "a.cu").value();
  EXPECT_THAT(paths_of(program.variants.front().headers), UnorderedElementsAre("src/own.h", "src/sub/b.h", "own.h"));
}

TEST_F(QuotedHeadersTest, OfTheSourcesFolderAreFoundByNameFromSubfolders) {
  write("project/src/a.cu",
        std::string(kProgram) + "#include \"../inc/far.h\"\n#include \"near.h\"\n#include \"sub/b.h\"\n");
  write("project/inc/far.h", "");
  write("project/src/own.h", "");
  write("project/src/near.h", "#pragma once\n");
  write("project/src/sub/b.h", "#include \"near.h\"\n");
  const Program program = load_program(folder_.path() / "project" / "src" / "a.cu").value();
  const std::vector<File>& headers = program.variants.front().headers;
  const auto forward = std::ranges::find(headers, "near.h", &File::path);
  ASSERT_NE(forward, headers.end());
  EXPECT_EQ(forward->content, "#include \"src/near.h\"\n");
}

TEST_F(QuotedHeadersTest, OfATextFileAreBelowItsFolder) {
  const std::string text =
      "program twice(inout x: f32[4])\n  variant cuda\n    sources \"src/a.cu\"\n    launch twice<<<1, 4>>>(x)\n";
  write("project/twice.kmux", text);
  write("project/src/a.cu", "#include \"../inc/near.h\"\n#include \"../../far.h\"\n");
  write("project/inc/near.h", "");
  write("far.h", "");
  const Program program = load_program(folder_.path() / "project" / "twice.kmux").value();
  EXPECT_THAT(paths_of(program.variants.front().headers), ElementsAre("inc/near.h"));
}

}  // namespace
}  // namespace kmux
