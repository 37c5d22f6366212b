#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isolation/isolated_plugins.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

Environment environment(const std::string& isolation, const std::string& timeout = "") {
  return Environment::from({{"KMUX_ISOLATION", isolation}, {"KMUX_COMPILE_TIMEOUT", timeout}});
}

constexpr std::chrono::seconds kTrial{10};
const IsolationSettings kNone{.trial = kTrial};
const IsolationSettings kFree{.is_free = true, .trial = kTrial};
const IsolationSettings kProcess{.in_process_of_its_own = true, .trial = kTrial};

TEST(IsolationTest, IsOffByDefault) {
  EXPECT_EQ(isolation_of({}, {}, Environment{}).value(), kFree);
  EXPECT_EQ(isolation_of({}, {}, environment("")).value(), kFree);
  EXPECT_EQ(isolation_of({}, {}, environment("none")).value(), kNone);
  EXPECT_EQ(isolation_of(Isolation::kNone, {}, environment("")).value(), kNone);
}

TEST(IsolationTest, PrefersArgumentsOverEnvironment) {
  EXPECT_EQ(isolation_of({}, {}, environment("process")).value(), kProcess);
  EXPECT_EQ(isolation_of(Isolation::kNone, {}, environment("process")).value(), kNone);
  EXPECT_EQ(isolation_of(Isolation::kProcess, 0.005, environment("none", "2")).value(),
            (IsolationSettings{.in_process_of_its_own = true, .limit = 5ms, .trial = kTrial}));
  EXPECT_EQ(isolation_of(Isolation::kProcess, 0, environment("", "2")).value(), kProcess);
}

TEST(IsolationTest, ReadsTimeoutInSeconds) {
  EXPECT_EQ(isolation_of(Isolation::kProcess, {}, environment("", "1.5")).value().limit, 1500ms);
  EXPECT_EQ(isolation_of(Isolation::kProcess, {}, environment("", "0.0001")).value().limit, 1ms);
  EXPECT_EQ(isolation_of(Isolation::kProcess, {}, environment("", "1e300")).value().limit,
            std::chrono::seconds(1'000'000'000));
  EXPECT_EQ(isolation_of(Isolation::kProcess, {}, environment("", "0")).value(), kProcess);
  EXPECT_EQ(isolation_of(Isolation::kProcess, {}, environment("", "")).value(), kProcess);
}

TEST(IsolationTest, RejectsInvalidTimeout) {
  for (const char* text : {"-1", "nan", "inf", "soon", "1s", " 1", "-0.5"}) {
    const auto isolation = isolation_of(Isolation::kProcess, {}, environment("", text));
    ASSERT_FALSE(isolation.ok()) << text;
    EXPECT_EQ(isolation.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(isolation.error().message,
                AllOf(HasSubstr("KMUX_COMPILE_TIMEOUT must be empty or a non-negative number"), HasSubstr(text)));
  }
  for (const double seconds : {-0.001, std::nan(""), HUGE_VAL})
    EXPECT_THAT(isolation_of(Isolation::kProcess, seconds, {}).error().message, HasSubstr("compile_timeout must be"));
}

TEST(IsolationTest, RejectsTimeoutWithoutProcessIsolation) {
  for (const auto& isolation :
       {isolation_of({}, 0.005, {}), isolation_of(Isolation::kNone, 0.005, environment("process"))}) {
    ASSERT_FALSE(isolation.ok());
    EXPECT_EQ(isolation.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(isolation.error().message, HasSubstr("compile_timeout is given without isolation 'process'"));
  }
  EXPECT_THAT(isolation_of({}, {}, environment("", "3")).error().message,
              HasSubstr("KMUX_COMPILE_TIMEOUT is given without isolation 'process'"));
}

TEST(PluginTrialLimitTest, DefaultsToTenSecondsAndReadsEnvironment) {
  const auto limit = [](const std::string& text) {
    return trial_limit(Environment::from({{"KMUX_PLUGIN_TRIAL", text}})).value();
  };
  EXPECT_EQ(trial_limit({}).value(), 10s);
  EXPECT_EQ(limit(""), 10s);
  EXPECT_EQ(limit("0.5"), 500ms);
  EXPECT_EQ(limit("0"), std::nullopt);
}

TEST(PluginTrialLimitTest, IgnoresEnvironmentWhenSecure) {
  EXPECT_EQ(trial_limit(Environment::from({{"KMUX_PLUGIN_TRIAL", "0"}}, /*secure=*/true)).value(), 10s);
}

TEST(PluginTrialLimitTest, RejectsInvalidDuration) {
  const auto refused = trial_limit(Environment::from({{"KMUX_PLUGIN_TRIAL", "off"}}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message,
            "KMUX_PLUGIN_TRIAL must be empty or a non-negative number of seconds (it is 'off'). Correct it.");
}

TEST(IsolationTest, RejectsUnknownMode) {
  const auto isolation = isolation_of({}, {}, environment("proces"));
  ASSERT_FALSE(isolation.ok());
  EXPECT_EQ(isolation.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(isolation.error().message, AllOf(HasSubstr("'proces'"), HasSubstr("Did you mean 'process'?")));
  EXPECT_EQ(isolation_from_string("thread").error().message,
            "isolation 'thread' is unknown (there are none, process). Use one of them.");
}

}  // namespace
}  // namespace kmux
