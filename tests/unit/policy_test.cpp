#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"

#include "artifact/compile_settings.h"
#include "scripted_registry.h"

namespace kmux {
namespace {

using testing::HasSubstr;

Result<Policy> policy_of(std::optional<Policy> asked, const Environment& environment) {
  KMUX_ASSIGN(const CompileSettings settings, settle({.policy = asked}, Purpose::kRun, environment));
  return settings.policy;
}

TEST(PolicyTest, ReturnsExplicitPolicyAndItsName) {
  EXPECT_EQ(policy_of(Policy::kPriority, {}).value(), Policy::kPriority);
  EXPECT_EQ(policy_of(Policy::kFastStart, {}).value(), Policy::kFastStart);
  EXPECT_EQ(policy_of(Policy::kMeasured, {}).value(), Policy::kMeasured);
  EXPECT_EQ(policy_of(Policy::kPinned, {}).value(), Policy::kPinned);
  EXPECT_EQ(to_string(Policy::kMeasured), "measured");
}

TEST(PolicyTest, FallsBackToEnvironmentThenPriority) {
  const Environment environment = Environment::from({{"KMUX_POLICY", "measured"}});
  EXPECT_EQ(policy_of({}, environment).value(), Policy::kMeasured);
  EXPECT_EQ(policy_of(Policy::kPinned, environment).value(), Policy::kPinned);
  EXPECT_EQ(policy_of({}, Environment::from({{"KMUX_POLICY", ""}})).value(), Policy::kPriority);
}

TEST(PolicyTest, ListsPoliciesForUnknownName) {
  const Error error = policy_of({}, Environment::from({{"KMUX_POLICY", "mesured"}})).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            "policy 'mesured' is unknown (there are priority, fast_start, measured, pinned). Did you mean 'measured'? "
            "Use one of them.");
}

TEST(PolicyTest, UnknownPolicyIsRejectedByResolveBuildAndWrap) {
  PluginScript script;
  script.manifest.name = "fake";
  script.manifest.targets = {"cpu"};
  script.manifest.dialects = {"c"};
  const auto runtime = Runtime::with(Environment{.policy = policy_from_string("best")},
                                     Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&script}));
  const Program program{.name = "p", .variants = {{.dialect = "c"}}};
  const Error resolved = require(resolve(*runtime, program, {})).error();
  EXPECT_EQ(resolved.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(resolved.message, HasSubstr("policy 'best' is unknown"));
  for (const Error& error : {build(*runtime, program, {}).error(), wrap(*runtime, program, {}).error()}) {
    EXPECT_EQ(error.message, resolved.message);
  }
  EXPECT_EQ(script.opened, 0);
}

TEST(PolicyTest, UnknownIsolationInEnvironmentIsRejectedByResolve) {
  PluginScript script;
  script.manifest.name = "fake";
  script.manifest.targets = {"cpu"};
  script.manifest.dialects = {"c"};
  const auto runtime = Runtime::with(Environment{.isolation = isolation_from_string("thread").error()},
                                     Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&script}));
  const Program program{.name = "p", .variants = {{.dialect = "c"}}};
  EXPECT_THAT(require(resolve(*runtime, program, {})).error().message, HasSubstr("isolation 'thread' is unknown"));
}

TEST(PolicyTest, IgnoresEnvironmentLockFileUnderAtSecure) {
  EXPECT_EQ(Environment::from({{"KMUX_LOCK_FILE", "/a"}}).lock_file, "/a");
  EXPECT_EQ(Environment::from({{"KMUX_LOCK_FILE", "/a"}}, true).lock_file, "");
}

}  // namespace
}  // namespace kmux
