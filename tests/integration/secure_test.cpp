// A real process with more rights than its caller (AT_SECURE): its environment must not name code.
#include <algorithm>
#include <grp.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/process.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns a group that is not this process's group but to which it may give a file.
std::optional<gid_t> other_group() {
  if (geteuid() == 0) return getegid() + 1;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
  if (getgroups(static_cast<int>(groups.size()), groups.data()) < 0) return std::nullopt;
  for (const gid_t group : groups)
    if (group != getegid()) return group;
  return std::nullopt;
}

class SecureProcessTest : public testing::Test {
 protected:
  SecureProcessTest() {
    fs::copy_file(KMUX_TEST_BUILD_DIR "/tests/secure_child", child_);
    fs::permissions(folder_.write("bin/kmux-named-by-path", "#!/bin/sh\n"), fs::perms::owner_all);
    folder_.write("plugins/none", "");
  }
  std::string output() const {
    Command command{.argv = {child_.string()}};
    command.environment = {{"PATH", bin() + ":/usr/bin:/bin"},
                           {"KMUX_PLUGIN_PATH", plugins()},
                           {"KMUX_OPTION_CPU_HOST_COMPILER", "/tmp/x"},
                           {"KMUX_NVRTC_LIBRARY", "/tmp/x.so"},
                           {"CUDA_HOME", "/tmp/cuda"}};
    const auto result = kmux::run(command);
    return result ? result->standard_output + result->standard_error : result.error().explain();
  }
  std::string bin() const { return (folder_.path() / "bin").string(); }
  std::string plugins() const { return (folder_.path() / "plugins").string(); }

  TempFolder folder_;
  fs::path child_ = folder_.path() / "child";
};

TEST_F(SecureProcessTest, AcceptsCodePathsWithoutExtraPrivileges) {
  EXPECT_THAT(output(), AllOf(HasSubstr("secure 0\n"), HasSubstr("option cpu.host_compiler=/tmp/x\n"),
                              HasSubstr("folder " + plugins()), HasSubstr("program " + bin() + "/kmux-named-by-path"),
                              HasSubstr("path of children " + bin() + ":/usr/bin:/bin\n")));
}

TEST_F(SecureProcessTest, IgnoresCodePathsFromEnvironment) {
  const std::string set = "a set-group-id program";
  const auto group = other_group();
  if (!group) GTEST_SKIP() << needs(set, "this user is in one group only");
  ASSERT_EQ(chown(child_.c_str(), static_cast<uid_t>(-1), *group), 0);
  ASSERT_EQ(chmod(child_.c_str(), 02755), 0);
  const std::string text = output();
  if (text.find("secure 0\n") != std::string::npos) GTEST_SKIP() << needs(set, "it is ignored in " + bin());
  EXPECT_THAT(text, AllOf(HasSubstr("secure 1\n"), Not(HasSubstr("plugins 0\n"))));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("option ")), Not(HasSubstr(plugins())), Not(HasSubstr("program "))));
  EXPECT_THAT(text, HasSubstr("path of children /usr/bin:/bin\n"));
}

}  // namespace
}  // namespace kmux
