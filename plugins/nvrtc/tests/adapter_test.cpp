#include "adapter.h"

#include <gmock/gmock.h>

#include "kmux/plugin/plan.h"
#include "kmux/plugin/sink.h"

#include "counting_allocator.h"
#include "fake_cuda.h"
#include "meta.h"
#include "nvidia/tests/current_context.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string ptx_of(const std::string& parameter) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param " + parameter + ") { ret; }\n";
}

// A program of precompiled code, so that NVRTC is not needed, loaded over the fake driver.
class NvrtcAdapterTest : public testing::Test {
 protected:
  NvrtcAdapterTest() {
    fake.set_parameters("k", {8});
    builder.input("x", dtype::kFloat32, {n}).variant("ptx").source("k.ptx", ptx_of(".u64 x"));
    builder.launch("k").grid({ceildiv(n, 256)}).block({256}).dynamic_smem_bytes(65536).args({"x"});
  }
  Artifact artifact(Options options = {}) {
    const Program program = builder.build().value();
    return backend.builder().build({program, 0, {"cuda", "sm_90a", {}}, std::move(options)}, "plan").value();
  }
  // Launches as the runtime does.
  Status launch(Adapter& adapter, std::int64_t count) {
    std::string text;
    const kmux_sink error = append_to(text);
    const kmux_launch_env env{sizeof(kmux_launch_env), 0, nullptr, allocator.api(), 0, 0};
    const std::vector<kmux_slot> slots = {{.ptr = &memory}, {.i64 = count}};
    const kmux_code code = adapter.entry()(slots.data(), env, error);
    if (code == KMUX_OK) return Ok{};
    return read_error(code, text);
  }

  FakeCuda fake = FakeCuda::load();
  FakeHost host;
  NvrtcBackend backend{host};
  ProgramBuilder builder{"sample"};
  Expr n = builder.symbol("n");
  CountingAllocator allocator;
  alignas(128) float memory = 0;
};

TEST_F(NvrtcAdapterTest, LaunchesPlanThroughDriver) {
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(adapter->prepare(0).ok());
  nvidia::make_current();
  fake.clear_calls();
  ASSERT_TRUE(launch(*adapter, 1000).ok());
  EXPECT_THAT(fake.calls(), ElementsAre(AllOf(HasSubstr("cuLaunchKernelEx k grid 4,1,1"), HasSubstr("smem 65536"))));
}

// C2.19: the context that `prepare` has made current stays current.
TEST_F(NvrtcAdapterTest, LaunchAfterPrepareIsOneDriverCall) {
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(adapter->prepare(0).ok());
  fake.clear_calls();
  ASSERT_TRUE(launch(*adapter, 1000).ok());
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx"));
}

TEST_F(NvrtcAdapterTest, FirstLaunchPreparesDevice) {
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(launch(*adapter, 1000).ok());
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), SizeIs(1));
}

// An extent without a valid value is refused on the slow path.
TEST_F(NvrtcAdapterTest, RejectsOutOfRangeExtent) {
  const auto adapter = backend.load(artifact(), 0).value();
  const Status status = launch(*adapter, std::int64_t{1} << 50);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("grid of \"k\""));
}

TEST_F(NvrtcAdapterTest, EncodesConstantMapOncePerAddress) {
  fake.set_parameters("k", {128});
  TensorMap map{.name = "m", .base = {"x"}, .dims = {64, 64}, .strides_bytes = {256}};
  map.mode = TiledMap{{8, 8}};
  ProgramBuilder mapped("mapped");
  mapped.input("x", dtype::kFloat32, {64, 64}).variant("ptx");
  mapped.source("k.ptx", ptx_of(".align 64 .b8 m[128]")).tensor_map(map);
  mapped.launch("k").grid({1}).block({32}).args({"m"});
  builder = mapped;
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(adapter->prepare(0).ok());
  nvidia::make_current();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(launch(*adapter, 0).ok());
  EXPECT_THAT(fake.calls("cuTensorMapEncodeTiled"), SizeIs(1));
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), SizeIs(3));
  fake.clear_calls();
  ASSERT_TRUE(launch(*adapter, 0).ok());
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx"));
}

TEST_F(NvrtcAdapterTest, PrepareLoadsLibraryAndSetsAttribute) {
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(adapter->prepare(0).ok());
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), SizeIs(1));
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"), ElementsAre(HasSubstr("65536")));
}

TEST_F(NvrtcAdapterTest, LaunchesNothingForEmptyGrid) {
  const auto adapter = backend.load(artifact(), 0).value();
  ASSERT_TRUE(launch(*adapter, 0).ok());
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
}

TEST_F(NvrtcAdapterTest, ReportsDriverErrorsByName) {
  const auto adapter = backend.load(artifact(), 0).value();
  fake.fail("cuLibraryLoadData", nvidia::CUDA_ERROR_NO_BINARY_FOR_GPU);
  const Status status = adapter->prepare(0);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("cuLibraryLoadData failed with 209 CUDA_ERROR_NO_BINARY_FOR_GPU"));
  ASSERT_TRUE(adapter->prepare(0).ok()) << "the next call works";
  fake.fail("cuLaunchKernelEx", nvidia::CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(*adapter, 1).error().code, ErrorCode::kLaunchFailed);
}

TEST_F(NvrtcAdapterTest, UnloadsLibraryOnDestruction) {
  {
    const auto adapter = backend.load(artifact(), 0).value();
    ASSERT_TRUE(launch(*adapter, 1).ok());
  }
  EXPECT_THAT(fake.calls("cuLibraryUnload"), SizeIs(1));
}

TEST_F(NvrtcAdapterTest, UsesGraphWhenOptionIsOn) {
  builder.launch("k").grid({2}).block({32}).args({"x"});
  const auto adapter = backend.load(artifact({{"graph", "on"}}), 0).value();
  int stream = 0;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(launch(*adapter, 1000).ok());
  EXPECT_FALSE(fake.calls("cuGraphInstantiateWithFlags").empty() && fake.calls("cuGraphLaunch").empty()) << stream;
}

TEST_F(NvrtcAdapterTest, RejectsIncompleteArtifacts) {
  for (const char* part : {"code", "plan", "meta.json"}) {
    Artifact lacking = artifact();
    std::erase_if(lacking.parts, [&](const Artifact::Part& candidate) { return candidate.name == part; });
    const auto loaded = backend.load(lacking, 0);
    EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(loaded.error().message, HasSubstr("no part \"" + std::string(part) + "\""));
  }
}

TEST_F(NvrtcAdapterTest, RejectsArtifactWithoutKernelSymbol) {
  Artifact lacking = artifact();
  Meta meta = parse_meta(*lacking.find("meta.json")).value();
  meta.symbols.clear();
  lacking.set("meta.json", dump_meta(meta));
  EXPECT_THAT(backend.load(lacking, 0).error().message, HasSubstr("no symbol of kernel \"k\""));
}

}  // namespace
}  // namespace kmux::nvrtc
