// kmux::compile that can be cancelled (C3.4).
#include "kmux/compile_wait.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "par_compile_fixture.h"

namespace kmux {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class CompileWaitTest : public ParCompileTest {
 protected:
  /// Returns a runtime whose compiler blocks until the door opens.
  Runtime& waiting() {
    return runtime_of([this](const Program&) -> Result<Artifact> {
      is_compiling_ = true;
      door_.pass();
      return artifact();
    });
  }
  void TearDown() override {
    door_.open();
    runtime_.reset();  // waits for abandoned compiles
  }

  Door door_;
  std::atomic<bool> is_compiling_ = false;
};

TEST_F(CompileWaitTest, StopsPromptlyAndAbandonsCompiler) {
  std::stop_source stop;
  Clock::time_point stopped;
  std::thread thread([&] {
    while (!is_compiling_) std::this_thread::sleep_for(1ms);
    stopped = Clock::now();
    stop.request_stop();
  });
  const auto kernel = compile(waiting(), named("p"), {}, {.stop = stop.get_token()});
  const auto took = Clock::now() - stopped;
  thread.join();
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(kernel.error().message, HasSubstr("program \"p\" was not compiled (it was stopped)"));
  EXPECT_LT(took, 1s);  // 0.1 s on an idle machine
}

TEST_F(CompileWaitTest, PollsOnCallingThreadAndRethrows) {
  const auto caller = std::this_thread::get_id();
  const auto poll = [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    if (is_compiling_) throw std::runtime_error("enough");
  };
  EXPECT_THROW(std::ignore = compile(waiting(), named("p"), {}, {.poll = poll}), std::runtime_error);
}

TEST_F(CompileWaitTest, DoesNotCompileWhenAlreadyStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(compile(waiting(), named("p"), {}, {.stop = stop.get_token()}).ok());
  EXPECT_EQ(compiled_, 0);
}

TEST_F(CompileWaitTest, ReturnsKernelOrErrorWhenNotStopped) {
  Runtime& runtime = failing({"bad"});
  std::stop_source stop;
  const CompileWait wait{.stop = stop.get_token()};
  EXPECT_EQ(compile(runtime, named("good"), {}, wait).value().name(), "good");
  EXPECT_EQ(compile(runtime, named("bad"), {}, wait).error().code, ErrorCode::kCompileFailed);
  stop.request_stop();  // a kernel in memory needs no compiler
  EXPECT_TRUE(compile(runtime, named("good"), {}, wait).ok());
  EXPECT_EQ(compiled_, 2);
}

}  // namespace
}  // namespace kmux
