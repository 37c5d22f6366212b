#include "kmux/log.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/trace_log.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { set_log_sink(LogLevel::kDebug, {}); }
  LogSink recorder() {
    return [this](LogLevel, std::string_view text) { lines_.emplace_back(text); };
  }
  std::vector<std::string> lines_;
};

// In a process that has not set a sink.
TEST_F(LogTest, WritesWarningsToStderrByDefault) {  // C3.8
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((log(LogLevel::kInfo, "not told"), log(LogLevel::kWarning, "told"), std::_Exit(0)),
              testing::ExitedWithCode(0), "^kmux: warning: told\n$");
}

TEST_F(LogTest, SinkCanReplaceItself) {
  const std::string kept = "the old sink lives until it returns";
  set_log_sink(LogLevel::kInfo, [this, kept](LogLevel, std::string_view text) {
    set_log_sink(LogLevel::kInfo, recorder());
    lines_.push_back("first " + std::string(text) + ", " + kept);
  });
  log(LogLevel::kInfo, "one");
  log(LogLevel::kInfo, "two");
  EXPECT_THAT(lines_, ElementsAre("first one, " + kept, "two"));
}

// A sink may wait for a thread that sets a sink.
TEST_F(LogTest, SinkCanBeReplacedByThreadThatItWaitsFor) {
  set_log_sink(LogLevel::kInfo, [this](LogLevel, std::string_view text) {
    std::thread([this] { set_log_sink(LogLevel::kInfo, recorder()); }).join();
    lines_.push_back("first " + std::string(text));
  });
  log(LogLevel::kInfo, "one");
  log(LogLevel::kInfo, "two");
  EXPECT_THAT(lines_, ElementsAre("first one", "two"));
}

TEST_F(LogTest, PassesLevelAndAbove) {
  set_log_sink(LogLevel::kWarning, recorder());
  log(LogLevel::kInfo, "info");
  log(LogLevel::kWarning, "warning");
  log(LogLevel::kError, "error");
  EXPECT_THAT(lines_, ElementsAre("warning", "error"));
}

TEST_F(LogTest, StopsWithEmptySink) {
  set_log_sink(LogLevel::kDebug, recorder());
  set_log_sink(LogLevel::kDebug, {});
  log(LogLevel::kError, "error");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(LogTest, PrefersApplicationSinkOverDefault) {
  set_log_sink(LogLevel::kError, recorder());
  set_default_log_sink(LogLevel::kInfo, stderr_log_sink());
  log(LogLevel::kError, "error");
  EXPECT_THAT(lines_, ElementsAre("error"));
}

TEST_F(LogTest, IgnoresNestedLogFromSink) {
  set_log_sink(LogLevel::kDebug, [this](LogLevel, std::string_view text) {
    lines_.emplace_back(text);
    log(LogLevel::kError, "nested");
  });
  log(LogLevel::kInfo, "outer");
  EXPECT_THAT(lines_, ElementsAre("outer"));
}

TEST_F(LogTest, SurvivesThrowingSink) {
  set_log_sink(LogLevel::kDebug, [this](LogLevel, std::string_view text) {
    lines_.emplace_back(text);
    if (text == "bad") throw std::runtime_error("no");
  });
  EXPECT_NO_THROW(log(LogLevel::kInfo, "bad"));
  log(LogLevel::kInfo, "good");  // in the same thread
  EXPECT_THAT(lines_, ElementsAre("bad", "good"));
}

TEST_F(LogTest, SerializesSinkCalls) {
  set_log_sink(LogLevel::kDebug, recorder());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 250; ++i) log(LogLevel::kInfo, "line");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines_.size(), 1000U);
}

TEST_F(LogTest, WritesLinesToStderr) {
  testing::internal::CaptureStderr();
  stderr_log_sink()(LogLevel::kWarning, "text");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kmux: warning: text\n");
}

}  // namespace
}  // namespace kmux
