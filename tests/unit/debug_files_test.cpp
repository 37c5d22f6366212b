#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"

#include "in_process_plugin.h"
#include "jit/jit_state.h"
#include "sample_program.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DebugFilesTest : public testing::Test {
 protected:
  fs::path only_folder() const {
    EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
    return fs::directory_iterator(root_)->path();
  }
  static Kernel kernel() {
    KernelParts parts = fake_parts({});
    LoadedArtifact loaded = parts.adapters->loaded();
    loaded.launcher = "launch it";
    parts.adapters = std::make_shared<AdapterSlot>(std::move(loaded));
    return make_kernel(std::move(parts)).value();
  }
  TempFolder folder_;
  fs::path root_ = folder_.path() / "debug";
};

TEST_F(DebugFilesTest, ContainProgramConfigAndFunction) {
  const DebugFiles files(root_, "the function");
  ASSERT_TRUE(files.write_program(sample_program(), "{}").ok());
  const fs::path folder = only_folder();
  EXPECT_EQ(folder.filename().string(), "gemm-" + digest(sample_program()).substr(0, 12));
  EXPECT_EQ(load_program(folder / "program/gemm.kmux.json").value(), sample_program());
  EXPECT_EQ(read_file(folder / "config.json").value(), "{}\n");
  EXPECT_EQ(read_file(folder / "function.txt").value(), "the function");
}

TEST_F(DebugFilesTest, ContainLauncherOfBackend) {
  const DebugFiles files(root_, "");
  ASSERT_TRUE(files.write_program(sample_program(), "{}").ok());
  ASSERT_TRUE(files.write_launcher(sample_program(), kernel()).ok());
  EXPECT_EQ(read_file(only_folder() / "launcher-fake.txt").value(), "launch it");
  EXPECT_FALSE(fs::exists(only_folder() / "function.txt"));
}

TEST_F(DebugFilesTest, UseWorkingDirectoryOfCreation) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  const DebugFiles files("debug", "");
  fs::current_path(before);
  ASSERT_TRUE(files.write_program(sample_program(), "{}").ok());
  EXPECT_TRUE(fs::exists(only_folder() / "config.json"));
}

TEST_F(DebugFilesTest, AreNotWrittenWithoutRoot) {
  const DebugFiles files("", "f");
  EXPECT_TRUE(files.write_program(sample_program(), "{}").ok());
  EXPECT_TRUE(files.write_launcher(sample_program(), kernel()).ok());
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(DebugFilesTest, ReportFolderThatCannotBeCreated) {
  folder_.write("debug", "a file");
  const Error error = DebugFiles(root_, "").write_program(sample_program(), "{}").error();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, testing::AllOf(HasSubstr(root_.string()), HasSubstr("Give another debug_root_path.")));
}

}  // namespace
}  // namespace kmux
