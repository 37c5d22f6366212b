#include <fstream>
#include <iterator>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "launchers.h"
#include "nvidia/library/adapter.h"

namespace kmux::nvidia {
namespace {

using ::testing::HasSubstr;

Program one_kernel() {
  ProgramBuilder program("one");
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({1});
  return program.build().value();
}

std::string text;
const kmux_sink error = append_to(text);

class LauncherLibraryTest : public ::testing::Test {
 protected:
  static std::unique_ptr<LauncherLibrary> open(const std::string& bytes) {
    return LauncherLibrary::open(bytes, {nullptr, nullptr}, LauncherLibrary::Ranges::kHidden).value();
  }
  int launch(const LauncherLibrary& library) {
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, nullptr, 0, 0};
    text.clear();
    return library.entry()(nullptr, env, error);
  }
  FakeCuda fake = FakeCuda::load();
};

TEST_F(LauncherLibraryTest, LaunchesAndUnloadsCode) {
  fake.set_parameters("k", {});
  {
    const auto library = open(library_of(one_kernel()).value());
    EXPECT_TRUE(fake.calls().empty()) << "the driver was touched";
    EXPECT_EQ(library->prepare(0, error), 0) << text;
    EXPECT_EQ(launch(*library), 0) << text;
    EXPECT_EQ(fake.live().libraries, 1U);
  }
  EXPECT_EQ(fake.calls("cuLaunchKernelEx").size(), 1U) << "the context that prepare made current has stayed";
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LauncherLibraryTest, IsUnmappedOnDestruction) {
  const auto is_mapped = [] {
    std::ifstream maps("/proc/self/maps");
    const std::string all(std::istreambuf_iterator<char>(maps), {});
    return all.find("kmux-launcher") != all.npos;  // a memfd, or a file in a folder of that name
  };
  auto library = open(library_of(one_kernel()).value());
  EXPECT_TRUE(is_mapped());
  library.reset();
  EXPECT_FALSE(is_mapped());
}

TEST_F(LauncherLibraryTest, ReportsFileCreationFailure) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto library = LauncherLibrary::open("text", {nullptr, nullptr}, LauncherLibrary::Ranges::kHidden);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(library.error().message, testing::AnyOf(testing::HasSubstr("out of memory for its file"),
                                                      testing::HasSubstr("Too many open files")));
}

TEST_F(LauncherLibraryTest, SeparatesInstancesOfSameBytes) {
  fake.set_parameters("k", {});
  const std::string bytes = library_of(one_kernel()).value();
  auto first = open(bytes);
  const auto second = open(bytes);
  EXPECT_EQ(launch(*first), 0) << text;
  EXPECT_EQ(launch(*second), 0) << text;
  EXPECT_EQ(fake.live().libraries, 2U);
  first.reset();
  EXPECT_EQ(fake.live().libraries, 1U);
  EXPECT_EQ(launch(*second), 0) << text;
}

// Each library has a separate launch layer, and all raise the limit of one context.
TEST_F(LauncherLibraryTest, SharesPersistingLimitAcrossLibraries) {
  fake.set_parameters("k", {});
  const auto windowed = [](std::int64_t bytes) {
    ProgramBuilder program("windowed");
    program.output("x", dtype::kFloat32, {1 << 20}).variant("cuda").source("k.cu", "");
    program.launch("k").grid({1}).block({1}).l2_window("x", Expr(bytes));
    return library_of(program.build().value()).value();
  };
  auto first = open(windowed(1 << 20));
  auto second = open(windowed(2 << 20));
  ASSERT_EQ(first->prepare(0, error), 0) << text;
  ASSERT_EQ(second->prepare(0, error), 0) << text;
  fake.clear_calls();
  first.reset();
  EXPECT_TRUE(fake.calls("cuCtxSetLimit").empty());
  second.reset();
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), ::testing::ElementsAre("cuCtxSetLimit limit 6 value 0"));
}

TEST_F(LauncherLibraryTest, ForwardsLauncherErrors) {
  const auto library = open(library_of(one_kernel()).value());
  text.clear();
  EXPECT_EQ(library->prepare(7, error), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(text, HasSubstr("device 7"));
}

TEST_F(LauncherLibraryTest, RejectsInvalidLibrary) {
  const auto no_library = LauncherLibrary::open("text", {nullptr, nullptr}, LauncherLibrary::Ranges::kHidden);
  ASSERT_FALSE(no_library.ok());
  EXPECT_EQ(no_library.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(no_library.error().message, HasSubstr("the compiled launcher cannot be loaded (/"));
}

TEST_F(LauncherLibraryTest, RejectsLibraryWithoutEntryPoints) {
  FakeHost host;
  const Compilation compilation = Compilation::begin(host, "test").value();
  const LauncherCompiler compiler(compilation, find_host_compiler("", "the test").value());
  ASSERT_TRUE(compiler.translate("int nothing;"));
  const auto library =
      LauncherLibrary::open(compiler.link("", {}, {}).value(), {nullptr, nullptr}, LauncherLibrary::Ranges::kHidden);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(library.error().message, HasSubstr("does not export \"kmux_launcher_prepare\""));
}

}  // namespace
}  // namespace kmux::nvidia
