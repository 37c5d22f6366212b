#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "current_context.h"
#include "fake_cuda.h"
#include "nvidia/launch/launcher.h"
#include "written_text.h"

namespace kmux::nvidia {

// Matchers used by its tests.
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Owns a launcher of kernels "add" and "mul" over the fake driver. Tests must change `facts` and `kernels` before the
/// first call.
class OpenedLauncherTest : public testing::Test {
 private:
  WrittenText written_;

 protected:
  OpenedLauncherTest() {
    tell_kernels();
    fake.clear_calls();
  }

  /// Sets the kernels' parameters, which a reset fake has lost.
  void tell_kernels() {
    fake.set_parameters("add", {8, 4});
    fake.set_parameters("mul", {});
  }

  Launcher& launcher() {
    if (!launcher_) launcher_.emplace("code", facts, log());
    return *launcher_;
  }
  Log log() { return {this, &OpenedLauncherTest::note}; }
  void close() { launcher_.reset(); }

  /// Prepares the launcher, and clears the recorded calls.
  void warm(int device = 0) {
    EXPECT_EQ(launcher().prepare(device, sink()), KMUX_OK) << error;
    fake.clear_calls();
  }

  /// Prepares the launcher, and leaves the context of `device` current, as applications do.
  void warm_as_current(int device = 0) {
    EXPECT_EQ(launcher().prepare(device, sink()), KMUX_OK) << error;
    make_current(device);
    fake.clear_calls();
  }

  template <class Body>
  int call(Body body, int device = 0, CUstream stream = nullptr, unsigned lane = 0) {
    error.clear();
    const kmux_launch_env env = {sizeof env, device, stream, nullptr, lane, 0};
    return launcher().call(env, sink(), body);
  }

  /// Runs a call whose body is one launch.
  int launch(const kmux_driver_launch& what, int device = 0, CUstream stream = nullptr) {
    return call([&](const kmux_driver_env& env, kmux_sink to) { return env.driver->launch(&env, &what, to); }, device,
                stream);
  }

  /// Returns a launch of "add" on 4 blocks of 128 threads.
  kmux_driver_launch add() {
    kmux_driver_launch what{};
    what.grid[0] = 4, what.grid[1] = what.grid[2] = 1;
    what.block[0] = 128, what.block[1] = what.block[2] = 1;
    what.args = args_;
    return what;
  }

  kmux_sink sink() { return written_.sink(); }

  FakeCuda fake = FakeCuda::load();
  KernelFacts kernels[2] = {{"add", 0, false}, {"mul", 0, false}};
  PlanFacts facts = {kernels, 2, 0, 2, 0, false, "sum", false};
  std::string& error = written_.text;
  std::vector<std::string> logs;

 private:
  static void note(void* self, int level, const char* text, std::size_t size) {
    EXPECT_THAT(level, testing::AnyOf(kLogInfo, kLogWarning));
    static_cast<OpenedLauncherTest*>(self)->logs.emplace_back(text, size);
  }

  std::uint64_t first_ = 0x1234;
  std::int32_t second_ = 7;
  void* args_[2] = {&first_, &second_};
  std::optional<Launcher> launcher_;
};

}  // namespace kmux::nvidia
