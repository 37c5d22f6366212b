// SPDX-License-Identifier: Apache-2.0
#include "kmux/plugin/compilation_folder.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

TEST(CompilationFolderTest, SeparatesFilesOfSameName) {
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
  const std::vector<File> files = {{"same.cpp", "program's"}, {"a/b.h", "deep"}};
  ASSERT_TRUE(folder.write_program(files));
  const std::string own = folder.write_own("same.cpp", "own").value();
  ASSERT_TRUE(folder.write_unit("same.cpp", "unit"));
  EXPECT_EQ(read_file(folder.program() + "/same.cpp").value(), "program's");
  EXPECT_EQ(read_file(folder.program() + "/a/b.h").value(), "deep");
  EXPECT_EQ(read_file(own).value(), "own");
  EXPECT_EQ(read_file(folder.unit() + "/same.cpp").value(), "unit");
  EXPECT_TRUE(fs::is_empty(folder.empty()));
  EXPECT_TRUE(fs::is_empty(folder.scratch()));
}

TEST(CompilationFolderTest, NamesItsOwnFolderUniquely) {
  const CompilationFolder one = CompilationFolder::create("kmux-test").value();
  const CompilationFolder other = CompilationFolder::create("kmux-test").value();
  EXPECT_NE(fs::path(one.own()).filename(), fs::path(other.own()).filename());
}

TEST(CompilationFolderTest, IsRemovedWithItsObject) {
  std::string root;
  {
    CompilationFolder folder = CompilationFolder::create("kmux-test").value();
    root = folder.root();
    const CompilationFolder moved = std::move(folder);
    EXPECT_TRUE(fs::exists(moved.own()));
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST(CompilationFolderTest, StripsFoldersFromCompilerOutput) {
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
  const std::string said = folder.program() + "/a.h:1: no\n../program/b.h(2): no\n" + folder.own() + "/l.cpp:3: no\n";
  EXPECT_EQ(folder.without_folders(said), "a.h:1: no\nb.h(2): no\nl.cpp:3: no\n");
}

}  // namespace
}  // namespace kmux
