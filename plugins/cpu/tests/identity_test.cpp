#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dynamic_library.h"

#include "device.h"
#include "jobs.h"
#include "simt/frontend/installation.h"
#include "simt/frontend/job.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;
using testing::Not;

std::string identity(const std::string& cpu, const BuildOptions& options = {}) {
  return toolchain_identity(Target{"cpu", cpu, {}}, options).value();
}

TEST(IdentityTest, IncludesCompilerBuildIds) {
  EXPECT_THAT(identity(kOtherCpu), HasSubstr("LLVM 19.1"));
  for (const std::string& library : compiler_libraries()) {
    EXPECT_THAT(identity(kOtherCpu), HasSubstr("\"build_id\":\"" + read_build_id(library).value() + "\""));
    EXPECT_THAT(identity(kOtherCpu), Not(HasSubstr(library))) << "where it lies changes nothing";
  }
  EXPECT_EQ(identity(kOtherCpu), identity(kOtherCpu));
}

TEST(IdentityTest, IncludesFeaturesOfThisMachineOnly) {
  EXPECT_THAT(identity(host_cpu().name), HasSubstr("\"features\""));
  EXPECT_THAT(identity(kOtherCpu), Not(HasSubstr("\"features\"")));
}

// The runtime includes all options in its keys.
TEST(IdentityTest, ExcludesBuildOptions) {
  BuildOptions options;
  options.opt_level = 1;
  options.tier = Tier::kFast;
  options.compile_flags = {"-g"};
  EXPECT_EQ(identity(kOtherCpu), identity(kOtherCpu, options));
}

TEST(IdentityTest, IncludesHostCompiler) {
  BuildOptions options;
  options.engine = Engine::kHost;
  EXPECT_THAT(identity(kOtherCpu, options), HasSubstr("\"host_compiler\":{\"as\":{\"mtime_ns\":"));
  options.host_compiler = "no-such-compiler";
  const auto missing = toolchain_identity(Target{"cpu", kOtherCpu, {}}, options);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("apt-get install g++"));
}

}  // namespace
}  // namespace kmux::cpu
