// Exported libraries: their driver calls, without the runtime in between.
#include <dlfcn.h>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "exported.h"
#include "over_fake.h"
#include "shared_cache.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ExportSequencesTest : public OverFake {
 protected:
  /// Returns the library of `builder`, which is exported once for all cases that request `name`.
  Exported exported(const ProgramBuilder& builder, const std::string& name) {
    const std::filesystem::path folder = shared_folder() / "exported";
    std::filesystem::create_directories(folder);
    ExportOptions options{.library = folder / (name + "." + GetParam() + ".so")};
    options.compile.execution_backend = GetParam();
    if (!std::filesystem::exists(options.library)) export_library(*runtime, builder.build().value(), options).value();
    fake.clear_calls();
    return Exported(options.library, "scale");
  }

  Tensor four_zeros(int ordinal = 0) {
    const Device device(runtime->registry().plugin(GetParam()).value(), ordinal);
    return Tensor::zeros({4}, dtype::kFloat32, device).value();
  }
};
INSTANTIATE_TEST_SUITE_P(On, ExportSequencesTest, testing::ValuesIn(plugins_over_fake()),
                         [](const auto& plugin) { return std::string(plugin.param); });

ProgramBuilder scale_program(const std::string& kernel = "scale") {
  const std::string head =
      kernel == "scale" ? "extern \"C\" __global__ void scale" : "template <int> __global__ void scale";
  ProgramBuilder builder = program_of("scale", head + "(float* x) { x[0] = 2; }\n");
  builder.launch(kernel).grid({1}).block({32}).dynamic_smem_bytes(50000).args({"x"});
  return builder;
}

TEST_P(ExportSequencesTest, LaunchesSameWorkAsKernel) {
  const Exported scale = exported(scale_program(), "plain");
  const Kernel kernel = warmed(scale_program());
  const Tensor x = four_zeros();
  EXPECT_EQ(scale.prepare(0), 0) << scale.last_error();
  const std::vector<std::string> expected = work_of(kernel, {x});
  EXPECT_EQ(expected.back(), line({.kernel = "scale", .args = {written(x)}, .smem = 50000}));
  fake.clear_calls();
  EXPECT_EQ(scale({x.dl()}), "");
  EXPECT_EQ(work(), expected);
  scale.close();
}

TEST_P(ExportSequencesTest, FindsKernelsByNameExpression) {
  const Exported scale = exported(scale_program("scale<3>"), "template");
  const Tensor x = four_zeros();
  EXPECT_EQ(scale({x.dl()}), "");
  scale.close();
}

TEST_P(ExportSequencesTest, LaunchesOnTvmFfiStream) {
  void* const fake_ffi = dlopen(KMUX_FAKE_TVM_FFI, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_NE(fake_ffi, nullptr) << dlerror();
  const auto set_stream = reinterpret_cast<void (*)(void*)>(dlsym(fake_ffi, "fake_tvm_ffi_set_stream"));
  const auto stream_of = reinterpret_cast<const int* (*)()>(dlsym(fake_ffi, "fake_tvm_ffi_stream_of"));
  const Exported scale = exported(scale_program(), "plain");
  const Tensor x = four_zeros();
  EXPECT_EQ(scale.prepare(0), 0) << scale.last_error();
  fake.clear_calls();
  set_stream(reinterpret_cast<void*>(2));
  EXPECT_EQ(scale({x.dl()}), "");
  EXPECT_THAT(work(), ElementsAre(line({.kernel = "scale", .args = {written(x)}, .smem = 50000, .stream = "0x2"})));
  EXPECT_EQ(stream_of()[0], kDLCUDA);
  EXPECT_EQ(stream_of()[1], 0);
  set_stream(nullptr);
  scale.close();
}

// C3.12: also if libtvm_ffi has another one.
TEST_P(ExportSequencesTest, LaunchesOnGivenStream) {
  const Exported scale = exported(scale_program(), "plain");
  const Tensor x = four_zeros();
  EXPECT_EQ(scale.prepare(0), 0) << scale.last_error();
  TVMFFIAny tensor{kTVMFFIDLTensorPtr, 0, {}};
  tensor.v_ptr = const_cast<DLTensor*>(x.dl());
  for (const std::uintptr_t stream : {2, 0}) {
    fake.clear_calls();
    EXPECT_EQ(scale.on_stream(reinterpret_cast<void*>(stream), &tensor, 1), 0) << scale.last_error();
    EXPECT_THAT(work(),
                ElementsAre(line(
                    {.kernel = "scale", .args = {written(x)}, .smem = 50000, .stream = stream == 2 ? "0x2" : "0x0"})));
  }
  EXPECT_EQ(scale.on_stream(nullptr, &tensor, 0), -1);
  EXPECT_THAT(scale.last_error(), HasSubstr("expected 1 arguments, got 0"));
  scale.close();
}

TEST_P(ExportSequencesTest, RunsOnDeviceOfTensors) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  const Exported scale = exported(scale_program(), "plain");
  const Tensor far = four_zeros(1);
  EXPECT_EQ(scale({far.dl()}), "");
  EXPECT_EQ(scale.prepare(7), -1);
  EXPECT_THAT(scale.last_error(), HasSubstr("kernel \"scale\": "));
  scale.close();
}

TEST_P(ExportSequencesTest, WorksAgainAfterClose) {
  const Exported scale = exported(scale_program(), "plain");
  const Tensor x = four_zeros();
  const std::size_t before = fake.live().libraries;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(scale({x.dl()}), "");
    EXPECT_EQ(fake.live().libraries, before + 1);
    scale.close();
    EXPECT_EQ(fake.live().libraries, before);
  }
}

TEST_P(ExportSequencesTest, AllocatesWorkspaces) {
  ProgramBuilder builder =
      program_of("scale", "extern \"C\" __global__ void scale(float* x, float* w) { x[0] = w[0]; }\n");
  builder.workspace("w", 4096);
  builder.launch("scale").grid({1}).block({32}).args({"x", "w"});
  const Exported scale = exported(builder, "workspace");
  const Tensor x = four_zeros();
  fake.clear_calls();
  EXPECT_EQ(scale({x.dl()}), "");
  EXPECT_EQ(fake.calls("cuMemAllocFromPoolAsync").size(), 1U);
  EXPECT_EQ(fake.calls("cuMemFreeAsync").size(), 1U);
  scale.close();
}

TEST_P(ExportSequencesTest, AlignsWorkspacesAsDeclared) {
  ProgramBuilder builder =
      program_of("scale", "extern \"C\" __global__ void scale(float* w, float* x) { x[0] = w[0]; }\n");
  builder.workspace("w", 4096, 65536);
  builder.launch("scale").grid({1}).block({32}).args({"w", "x"});
  const Exported scale = exported(builder, "aligned");
  const Tensor x = four_zeros();
  for (int round = 0; round < 3; ++round) {
    fake.clear_calls();
    EXPECT_EQ(scale({x.dl()}), "");
    EXPECT_THAT(fake.calls("cuMemAllocFromPoolAsync"), ElementsAre(HasSubstr(" bytes 69376 ")));
    const std::string launch = fake.calls("cuLaunchKernelEx").at(0);
    EXPECT_EQ(std::stoull(launch.substr(launch.find("args [") + 6), nullptr, 16) % 65536, 0U) << launch;
    EXPECT_EQ(fake.calls("cuMemFreeAsync").size(), 1U);
  }
  scale.close();
}

TEST_P(ExportSequencesTest, RejectsFillsBeyondBuffer) {
  ProgramBuilder builder = scale_program();
  builder.body().fill("x", 64);
  const Exported scale = exported(builder, "filled");
  const Tensor x = four_zeros();
  EXPECT_EQ(scale.prepare(0), 0) << scale.last_error();
  fake.clear_calls();
  EXPECT_THAT(scale({x.dl()}),
              HasSubstr("fill of \"x\" writes 64 bytes (the buffer has 16). Fill at most the buffer."));
  EXPECT_THAT(work(), testing::IsEmpty());
  scale.close();
}

TEST_P(ExportSequencesTest, ReportsDriverFailures) {
  const Exported scale = exported(scale_program(), "plain");
  const Tensor x = four_zeros();
  EXPECT_EQ(scale.prepare(0), 0) << scale.last_error();
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE);
  const std::string text = scale({x.dl()});
  EXPECT_THAT(text, HasSubstr("kernel \"scale\": "));
  EXPECT_THAT(text, HasSubstr("cuLaunchKernelEx failed"));
  EXPECT_EQ(scale({x.dl()}), "");
  scale.close();
}

}  // namespace
}  // namespace kmux::nvidia
