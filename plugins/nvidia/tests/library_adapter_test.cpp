#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "launchers.h"
#include "nvidia/library/adapter.h"

namespace kmux::nvidia {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns a kernel with a window larger than the fake device's largest, which is reported.
Program windowed() {
  ProgramBuilder program("windowed");
  const Expr n = program.symbol("n");
  program.input("x", dtype::kFloat32, {n}).variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({32}).l2_window("x", n * 4).args({"x"});
  return program.build().value();
}

class LibraryAdapterTest : public ::testing::Test {
 protected:
  LibraryAdapterTest() {
    fake.set_parameters("k", {8});
    artifact.set(kLibraryPart, library_of(windowed()).value());
  }
  kmux_code launch(Adapter& adapter, std::int64_t n) {
    const kmux_slot slots[] = {{.ptr = reinterpret_cast<void*>(0x1000)}, {.i64 = n}};
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, nullptr, 0, 0};
    text.clear();
    return adapter.launch(slots, env, append_to(text));
  }
  FakeCuda fake = FakeCuda::load();
  FakeHost host;
  Artifact artifact;
  std::string text;
};

TEST_F(LibraryAdapterTest, PreparesAndLaunches) {
  {
    const auto adapter = LibraryAdapter::load(artifact, host, "test").value();
    ASSERT_TRUE(adapter->prepare(0));
    fake.clear_calls();
    EXPECT_EQ(launch(*adapter, 64), KMUX_OK) << text;
    EXPECT_EQ(fake.calls("cuLaunchKernelEx").size(), 1U) << "the context that prepare made current has stayed";
    EXPECT_THAT(fake.calls("cuLibraryLoadData"), IsEmpty()) << "prepare did it";
  }
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LibraryAdapterTest, ForwardsReportsToHost) {
  const auto adapter = LibraryAdapter::load(artifact, host, "test").value();
  EXPECT_EQ(launch(*adapter, std::int64_t{1} << 30), KMUX_OK) << text;
  EXPECT_THAT(host.log, HasSubstr("window"));
}

TEST_F(LibraryAdapterTest, ReportsDriverFailures) {
  const auto adapter = LibraryAdapter::load(artifact, host, "test").value();
  fake.fail("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
  const Status status = adapter->prepare(0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("cuDevicePrimaryCtxRetain failed with 2 CUDA_ERROR_OUT_OF_MEMORY"));
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(*adapter, 64), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(text, HasSubstr("cuLaunchKernelEx failed with 719 CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_EQ(launch(*adapter, 64), KMUX_OK) << text;
}

TEST_F(LibraryAdapterTest, RejectsArtifactWithoutLibrary) {
  const auto adapter = LibraryAdapter::load({}, host, "test");
  ASSERT_FALSE(adapter.ok());
  EXPECT_EQ(adapter.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(adapter.error().message, HasSubstr("the artifact has no part \"library\""));
}

TEST_F(LibraryAdapterTest, ShowsProfilerRangesOnRequest) {
  const auto hidden = LibraryAdapter::load(artifact, host, "test").value();
  EXPECT_TRUE(hidden->prepare(0));
  EXPECT_THAT(host.log, Not(HasSubstr("NVTX")));
  host.options["nvidia.nvtx"] = "1";
  const auto shown = LibraryAdapter::load(artifact, host, "test").value();
  EXPECT_TRUE(shown->prepare(0));  // NVTX may be missing here, which is logged
  EXPECT_EQ(launch(*shown, 64), KMUX_OK) << text;
}

TEST_F(LibraryAdapterTest, WaitsForEachLaunchOnRequest) {
  host.options["nvidia.launch_blocking"] = "1";
  const auto adapter = LibraryAdapter::load(artifact, host, "test").value();
  fake.fail("cuStreamSynchronize", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(*adapter, 64), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(text, HasSubstr("kernel \"k\" failed with 719"));
}

}  // namespace
}  // namespace kmux::nvidia
