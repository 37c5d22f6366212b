#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"
#include "nvidia/options.h"
#include "temp_folder.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ToolkitTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  TempFolder folder;
  FakeHost host;
};

TEST_F(ToolkitTest, SearchesOptionThenNvccThenDefaultHome) {
  folder.write("real/bin/nvcc", "");
  std::filesystem::permissions(at("real/bin/nvcc"), std::filesystem::perms::owner_all);
  std::filesystem::create_directories(at("links"));
  std::filesystem::create_symlink(at("real/bin/nvcc"), at("links/nvcc"));
  const std::string before = std::getenv("PATH");
  setenv("PATH", at("links").c_str(), 1);
  host.options["cuda.home"] = "/opt/cuda";
  const auto homes = toolkit_homes(host);
  setenv("PATH", before.c_str(), 1);
  EXPECT_THAT(homes, ElementsAre("/opt/cuda", at("real"), "/usr/local/cuda"));
}

TEST_F(ToolkitTest, ListsOnlyExistingIncludeFolders) {
  EXPECT_THAT(toolkit_includes(at("none")), IsEmpty());
  folder.write("old/include/cuda.h", "");
  EXPECT_THAT(toolkit_includes(at("old")), ElementsAre(at("old/include")));
  folder.write("new/include/cccl/cuda/std/utility", "");
  EXPECT_THAT(toolkit_includes(at("new")), ElementsAre(at("new/include"), at("new/include/cccl")));
}

}  // namespace
}  // namespace kmux::nvidia
