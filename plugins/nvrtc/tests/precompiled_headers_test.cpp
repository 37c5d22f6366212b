#include "precompiled_headers.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "file_tick.h"
#include "needs.h"
#include "temp_folder.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::IsEmpty;
using testing::StartsWith;
using Use = PrecompiledHeaders::Plan::Use;

class PrecompiledHeadersTest : public NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    if (IsSkipped()) return;
    library = NvrtcLibrary::open(find_library(host).value()).value();
    if (!library->has_pch())
      GTEST_SKIP() << needs("NVRTC 12.8", library->version() + " does not compile headers in advance");
  }
  Use use(const std::string& stamp) { return headers.plan(*library, stamp).use; }
  // Simulates three compilations with a stamp: seen, created, used.
  void make(const std::string& stamp) {
    (void)headers.plan(*library, stamp);
    const PrecompiledHeaders::Plan second = headers.plan(*library, stamp);
    write(second);
    headers.created(second, NvrtcResult::kSuccess);
  }
  // Writes the file in place of NVRTC.
  static void write(const PrecompiledHeaders::Plan& plan) {
    std::ofstream(plan.argument.substr(plan.argument.find('=') + 1)) << "headers of " << plan.stamp;
  }
  static std::string read_file_at(const std::string& argument) {
    std::ifstream file(argument.substr(argument.find('=') + 1));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const NvrtcLibrary* library = nullptr;
  PrecompiledHeaders headers;
};

TEST_F(PrecompiledHeadersTest, AreCreatedBySecondAndReusedByThirdCompilation) {
  EXPECT_EQ(use("a"), Use::kNone);
  const PrecompiledHeaders::Plan second = headers.plan(*library, "a");
  EXPECT_EQ(second.use, Use::kCreate);
  EXPECT_THAT(second.argument, StartsWith("--create-pch=/"));
  EXPECT_EQ(use("a"), Use::kNone) << "another thread while they are made";
  write(second);
  headers.created(second, NvrtcResult::kSuccess);
  const PrecompiledHeaders::Plan third = headers.plan(*library, "a");
  EXPECT_EQ(third.use, Use::kTake);
  EXPECT_EQ(read_file_at(third.argument), "headers of a");
}

TEST_F(PrecompiledHeadersTest, LeaveNoFileBehind) {
  std::string path;
  {
    (void)headers.plan(*library, "a");
    const PrecompiledHeaders::Plan second = headers.plan(*library, "a");
    write(second);
    path = second.folder->path();
    headers.created(second, NvrtcResult::kSuccess);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(read_file_at(headers.plan(*library, "a").argument), "headers of a");
}

TEST_F(PrecompiledHeadersTest, AreUnusedWhenFileIsMissing) {
  (void)use("a");
  headers.created(headers.plan(*library, "a"), NvrtcResult::kSuccess);
  EXPECT_EQ(use("a"), Use::kNone);
}

TEST_F(PrecompiledHeadersTest, AreNotSharedBetweenStamps) {
  make("a");
  EXPECT_EQ(use("a"), Use::kTake);
  EXPECT_EQ(use("b"), Use::kNone);
}

TEST_F(PrecompiledHeadersTest, AreDisabledWithoutStamp) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(use(""), Use::kNone);
}

TEST_F(PrecompiledHeadersTest, AreNotRetriedAfterFailedCreation) {
  (void)use("a");
  headers.created(headers.plan(*library, "a"), NvrtcResult::kPchCreate);
  EXPECT_EQ(use("a"), Use::kNone);
  make("b");
  EXPECT_EQ(use("b"), Use::kTake);
}

TEST_F(PrecompiledHeadersTest, AreDisabledAfterHeapExhaustion) {
  (void)use("a");
  headers.created(headers.plan(*library, "a"), NvrtcResult::kPchHeapExhausted);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(use("b"), Use::kNone);
}

TEST_F(PrecompiledHeadersTest, AreUnusedAfterDrop) {
  make("a");
  headers.drop(headers.plan(*library, "a"));
  EXPECT_EQ(use("a"), Use::kNone);
}

TEST_F(PrecompiledHeadersTest, AreRetriedAfterFailedCompilation) {
  (void)use("a");
  headers.put_back(headers.plan(*library, "a"));
  EXPECT_EQ(use("a"), Use::kCreate);
  make("b");
  headers.put_back(headers.plan(*library, "b"));
  EXPECT_EQ(use("b"), Use::kTake);
}

TEST_F(PrecompiledHeadersTest, EvictLeastRecentlyUsed) {
  for (const char* stamp : {"a", "b", "c"}) make(stamp);
  EXPECT_EQ(use("a"), Use::kTake);
  make("d");
  EXPECT_EQ(use("a"), Use::kTake);
  EXPECT_EQ(use("b"), Use::kCreate) << "its file is gone";
}

class HeadersStampTest : public testing::Test {
 protected:
  HeadersStampTest() {
    for (int i = 0; i < 40; ++i) {
      dependencies.files.push_back(folder.write("h" + std::to_string(i) + ".h", "\n").string());
    }
    next_file_tick();
  }
  std::string stamp(const std::string& text = "#include <h0.h>\nint code;\n", const std::vector<File>& files = {},
                    const std::vector<std::string>& arguments = {"-DA"}) {
    return headers_stamp(text, files, arguments, dependencies);
  }
  TempFolder folder;
  Dependencies dependencies;
};

TEST_F(HeadersStampTest, IsEmptyWithoutHeaders) { EXPECT_THAT(headers_stamp("", {}, {}, {}), IsEmpty()); }

TEST_F(HeadersStampTest, IgnoresCodeChanges) {
  EXPECT_EQ(stamp(), stamp("#include <h0.h>\nint other;\n"));
  EXPECT_EQ(stamp("#include <h0.h>\nint a;\n", {{"k.cu", "#include <h0.h>\nint a;\n"}}),
            stamp("#include <h0.h>\nint b;\n", {{"k.cu", "#include <h0.h>\nint b;\n"}}));
}

TEST_F(HeadersStampTest, DependsOnPreambleArgumentsFilesAndHeaders) {
  const std::string before = stamp();
  EXPECT_NE(stamp("// first\n#include <h0.h>\nint code;\n"), before);
  EXPECT_NE(stamp("#include <h0.h>\nint code;\n", {}, {"-DB"}), before);
  EXPECT_NE(stamp("#include <h0.h>\nint code;\n", {{"x.h", "1"}}), before);
  EXPECT_NE(stamp("#include <h0.h>\nint code;\n", {{"x.h", "1"}}),
            stamp("#include <h0.h>\nint code;\n", {{"x.h", "2"}}));
  folder.write("h7.h", "changed\n");
  EXPECT_NE(stamp(), before);
}

TEST_F(HeadersStampTest, IsEmptyForIncompleteDependencies) {
  dependencies.complete = false;
  EXPECT_THAT(stamp(), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvrtc
