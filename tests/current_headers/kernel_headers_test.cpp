// Kernels in memory and the headers that they were compiled from, while the background is at something else.
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"

#include "compiling_plugin.h"
#include "file_tick.h"
#include "reading_plugin.h"
#include "system/background.h"
#include "system/runtime_impl.h"
#include "temp_folder.h"

namespace kmux::fresh {
namespace {

Program includes_a() {
  ProgramBuilder b("compute");
  b.output("y", dtype::kInt64, {2});
  b.variant("c").source("compute.c", "#include <a.h>\ny[0] = A;\n").launch("compute").args({"y"});
  return b.build().value();
}

class KernelHeadersTest : public testing::Test {
 protected:
  KernelHeadersTest() { edit(1); }

  /// An edit that ends in an earlier tick of the clock than what follows.
  void edit(int number) const {
    temp_.write("a.h", "#define A " + std::to_string(number) + "\n");
    next_file_tick();
  }
  Kernel compiled() { return compile(*runtime_, includes_a(), options_).value(); }
  static std::int64_t value(const Kernel& kernel) {
    const Tensor y = kernel().and_then(single).value();
    return *y.data_as<std::int64_t>();
  }
  static bool is_same(const Kernel& a, const Kernel& b) { return &a.name() == &b.name(); }

  /// Nothing of the background happens until the door is opened.
  void hold_background() {
    runtime_->impl().background().post([this] { door_.pass(); });
    door_.await_waiting(1);
  }
  /// Everything that was posted to the background has happened.
  void await_background() {
    Door done;
    runtime_->impl().background().post([&] { done.pass(); });
    done.await_waiting(1);
    done.open();
    Door left;  // the job before has let go of the door above
    runtime_->impl().background().post([&] { left.open(); });
    left.pass();
  }

  TempFolder temp_{memory_folder()};
  Door door_;
  CompileOptions options_{.target = "cpu", .include_dirs = {temp_.path()}};
  Shared<Runtime> runtime_ = [this] {
    Environment environment;
    environment.cache_dir = temp_.path() / "cache";
    return Runtime::with(std::move(environment), reading_registry());
  }();
};

TEST_F(KernelHeadersTest, AreCheckedBeforeReusingKernelInMemory) {
  const Kernel first = compiled();
  EXPECT_TRUE(is_same(first, compiled()));
  EXPECT_TRUE(first.is_up_to_date());
  edit(2);
  EXPECT_FALSE(first.is_up_to_date());
  const Kernel second = compiled();
  EXPECT_EQ(value(first), 1);
  EXPECT_EQ(value(second), 2);
  EXPECT_TRUE(is_same(second, compiled()));
}

TEST_F(KernelHeadersTest, KernelIsReusedWhileBackgroundIsBlocked) {
  hold_background();
  const Kernel first = compiled();
  EXPECT_TRUE(is_same(first, compiled()));
  door_.open();
}

TEST_F(KernelHeadersTest, RewrittenHeaderWithSameContentReusesKernel) {
  const Kernel first = compiled();
  await_background();
  edit(1);
  EXPECT_TRUE(is_same(first, compiled()));
}

TEST_F(KernelHeadersTest, KernelKeepsHeaderVersionAcrossTiers) {
  hold_background();
  const Kernel first = compiled();
  EXPECT_EQ(first.tier(), "fast");
  edit(2);
  door_.open();
  EXPECT_TRUE(first.await_best().ok());
  EXPECT_EQ(value(first), 1) << "a better tier of other headers is another kernel";
  EXPECT_EQ(value(compiled()), 2);
  edit(1);
  EXPECT_EQ(value(compiled()), 1);
}

TEST_F(KernelHeadersTest, KernelKeepsHeaderVersionWhenShadowingHeaderIsRemoved) {
  temp_.write("behind/a.h", "#define A 2\n");
  next_file_tick();
  options_.include_dirs.push_back(temp_.path() / "behind");
  hold_background();
  const Kernel first = compiled();
  std::filesystem::remove(temp_.path() / "a.h");  // what a better tier reads now was there all the time
  next_file_tick();
  door_.open();
  EXPECT_TRUE(first.await_best().ok());
  EXPECT_EQ(value(first), 1);
  EXPECT_EQ(value(compiled()), 2);
}

TEST_F(KernelHeadersTest, BetterTierOfSameHeaderVersionIsAdopted) {
  const Kernel first = compiled();
  EXPECT_TRUE(first.await_best().ok());
  EXPECT_EQ(first.tier(), "full");
  EXPECT_EQ(value(first), 1);
  edit(2);
  EXPECT_EQ(value(compiled()), 2);
}

TEST_F(KernelHeadersTest, HeaderChangedDuringBuildInvalidatesKernel) {
  compile_time_us() = 300'000;
  std::jthread editor([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));  // after the headers were read
    edit(2);
  });
  const Kernel first = compiled();
  compile_time_us() = 0;
  editor.join();
  EXPECT_FALSE(first.is_up_to_date());
  const Kernel second = compiled();
  EXPECT_EQ(value(second), 2);
  EXPECT_TRUE(second.is_up_to_date());
}

}  // namespace
}  // namespace kmux::fresh
