#include "cli/tar_header.h"

#include <gtest/gtest.h>

#include "kmux/process.h"

#include "temp_folder.h"

namespace kmux::cli {
namespace {

const TarMember kMember{"folder/of/" + std::string(64, 'a') + "/file.json", 1234567};

TEST(TarHeader, IsReadBack) {
  const std::string block = tar_header(kMember);
  ASSERT_EQ(block.size(), kTarBlock);
  const TarMember read = read_tar_header(block).value();
  EXPECT_EQ(read.path, kMember.path);
  EXPECT_EQ(read.size, kMember.size);
  EXPECT_EQ(read_tar_header(tar_header({"file", 0}))->path, "file");
}

TEST(TarHeader, IsRefusedWithAnyByteChanged) {
  const std::string block = tar_header(kMember);
  for (std::size_t i = 0; i < block.size(); ++i) {
    std::string changed = block;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(read_tar_header(changed)) << i;
  }
  EXPECT_FALSE(read_tar_header(block.substr(1)));
  EXPECT_FALSE(read_tar_header(std::string(kTarBlock, '\0')));
}

TEST(TarHeader, IsUnderstoodByTar) {
  const TempFolder temp;
  const std::string content = "hello";
  temp.write("a.tar", tar_header({"sub/file", content.size()}) + content +
                          std::string(tar_padding(content.size()) + 2 * kTarBlock, '\0'));
  const ProcessResult listed = run({.argv = {"tar", "-tvf", (temp.path() / "a.tar").string()}}).value();
  EXPECT_EQ(listed.exit_code, 0) << listed.standard_error;
  EXPECT_NE(listed.standard_output.find("-rw-------"), std::string::npos) << listed.standard_output;
  EXPECT_NE(listed.standard_output.find("sub/file"), std::string::npos) << listed.standard_output;
  const ProcessResult content_of = run({.argv = {"tar", "-xOf", (temp.path() / "a.tar").string(), "sub/file"}}).value();
  EXPECT_EQ(content_of.standard_output, content);
}

TEST(TarHeader, PadsToWholeBlocks) {
  EXPECT_EQ(tar_padding(0), 0U);
  EXPECT_EQ(tar_padding(1), 511U);
  EXPECT_EQ(tar_padding(512), 0U);
}

}  // namespace
}  // namespace kmux::cli
