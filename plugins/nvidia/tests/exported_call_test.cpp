#include <cstdint>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/emit.h"

#include "launchers.h"

namespace kmux::nvidia {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLaunch = "cuLaunchKernelEx";

// A launcher over the fake driver, alone in its process.
class ExportedCallTest : public ::testing::Test {
 protected:
  FakeCuda fake = FakeCuda::load();

  std::string launch_of(const FakeCuda& driver) const {
    const auto launches = driver.calls(kLaunch);
    return launches.empty() ? "none" : launches.back();
  }
};

std::string declared(const Program& program) {
  CodeWriter out;
  emit_exported_call(out, lower(program, 0).value());
  const std::string text = out.text();
  const std::size_t begin = text.find("int call(");
  return text.substr(begin, text.find(" {", begin) - begin);
}

// The output comes before the input that carries its symbol, a stride symbol before a shape symbol.
Program output_first() {
  ProgramBuilder program("output_first");
  const Expr n = program.symbol("n");
  const Expr m = program.symbol("m");
  const Expr row = program.symbol("row");
  program.buffer("out", {.dtype = dtype::kFloat32, .shape = {n}, .strides = std::vector<Expr>{row}});
  program.input("in", dtype::kFloat32, {m, n});
  const Expr scale = program.scalar("scale", dtype::kInt32);
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({n}).block({32}).args({"out", "in", "scale", "n", "m", "row"});
  return program.build().value();
}

TEST_F(ExportedCallTest, DeclaresCanonicalParameterOrder) {
  EXPECT_EQ(declared(output_first()),
            "int call(void* out, void* in, int scale, long long n, long long m, long long row, void* kmux_stream)");
}

TEST_F(ExportedCallTest, PassesArgumentsInCanonicalOrder) {
  fake.set_parameters("k", {8, 8, 4, 8, 8, 8});
  const StandAlone launcher(output_first());
  ASSERT_EQ(launcher.init(), 0) << launcher.last_error();
  auto* const out = reinterpret_cast<void*>(0x1000);
  auto* const in = reinterpret_cast<void*>(0x2000);
  ASSERT_EQ(launcher.call<>(out, in, -7, 3LL, 5LL, 9LL), 0) << launcher.last_error();
  EXPECT_THAT(launch_of(fake), HasSubstr("grid 3,1,1 block 32,1,1"));
  EXPECT_THAT(launch_of(fake), HasSubstr("args [0x0000000000001000 0x0000000000002000 0xfffffff9 0x0000000000000003 "
                                         "0x0000000000000005 0x0000000000000009]"));
}

Program scalars() {
  ProgramBuilder program("scalars");
  program.scalar("flag", dtype::kBool);
  program.scalar("half", dtype::kFloat16);
  program.scalar("brain", dtype::kBFloat16);
  program.scalar("tiny", dtype::kFloat8E4M3);
  program.scalar("byte", dtype::kUInt8);
  program.scalar("word", dtype::kInt16);
  program.scalar("real", dtype::kFloat32);
  program.scalar("wide", dtype::kFloat64);
  program.scalar("large", dtype::kUInt64);
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({32}).args(
      {"flag", "half", "brain", "tiny", "byte", "word", "real", "wide", "large"});
  return program.build().value();
}

TEST_F(ExportedCallTest, PassesScalarsOfEveryType) {
  EXPECT_EQ(declared(scalars()),
            "int call(bool flag, unsigned short half, unsigned short brain, unsigned char tiny, unsigned char byte, "
            "signed short word, float real, double wide, unsigned long long large, void* kmux_stream)");
  fake.set_parameters("k", {1, 2, 2, 1, 1, 2, 4, 8, 8});
  const StandAlone launcher(scalars());
  ASSERT_EQ(launcher.init(), 0) << launcher.last_error();
  const int code =
      launcher.call<bool, unsigned short, unsigned short, unsigned char, unsigned char, short, float, double,
                    unsigned long long>(true, 0x3c00, 0x3f80, 0x38, 255, -2, 1.5F, -2.0, 0xfedcba9876543210ULL);
  ASSERT_EQ(code, 0) << launcher.last_error();
  EXPECT_THAT(launch_of(fake), HasSubstr("args [0x01 0x3c00 0x3f80 0x38 0xff 0xfffe 0x3fc00000 0xc000000000000000 "
                                         "0xfedcba9876543210]"));
}

TEST_F(ExportedCallTest, TakesNoArgumentsToo) {
  ProgramBuilder program("bare");
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({2}).block({64});
  fake.set_parameters("k", {});
  const StandAlone launcher(program.build().value());
  EXPECT_EQ(launcher.call<>(), 0) << launcher.last_error();
  EXPECT_THAT(launch_of(fake), HasSubstr("cuLaunchKernelEx k grid 2,1,1 block 64,1,1 smem 0 stream 0x0 args []"));
}

// Values of more than eight bytes are shown in memory order, others as a number.
TEST_F(ExportedCallTest, PacksStructures) {
  ProgramBuilder program("structures");
  const Expr n = program.symbol("n");
  program.input("in", dtype::kFloat32, {n}).scalar("scale", dtype::kInt16);
  program.variant("cuda").source("k.cu", "");
  program.launch("k")
      .grid({1})
      .block({1})
      .arg(StructArg{{TensorArg{"in", 16}, ExprArg{n + 1}, ScalarArg{"scale"}}})
      .arg(StructArg{{ScalarArg{"scale"}, StructArg{{ExprArg{5, dtype::kUInt8}}, 4}}, 8});
  fake.set_parameters("k", {16, 8});
  const StandAlone launcher(program.build().value());
  EXPECT_EQ((launcher.call<void*, short, long long>(reinterpret_cast<void*>(0x1000), 0x7fff, 6)), 0)
      << launcher.last_error();
  EXPECT_THAT(launch_of(fake), HasSubstr("args [0x101000000000000007000000ff7f0000 0x0000000500007fff]"));
}

TEST_F(ExportedCallTest, DeclaresOneOrManyParameters) {
  for (const int count : {1, 40}) {
    ProgramBuilder program("many");
    for (int i = 0; i < count; ++i) program.scalar("s" + std::to_string(i), dtype::kInt64);
    program.variant("cuda").source("k.cu", "");
    LaunchBuilder launch = program.launch("k").grid({1}).block({1});
    for (int i = 0; i < count; ++i) launch.arg(ScalarArg{"s" + std::to_string(i)});
    EXPECT_THAT(declared(program.build().value()),
                EndsWith("long long s" + std::to_string(count - 1) + ", void* kmux_stream)"));
  }
}

TEST_F(ExportedCallTest, RunsOnDeviceOfCurrentContext) {
  fake.set_devices({{}, {}});
  ProgramBuilder program("bare");
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({1});
  fake.set_parameters("k", {});
  const StandAlone launcher(program.build().value());
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  CUcontext context = nullptr;
  const auto retain = reinterpret_cast<int (*)(CUcontext*, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  const auto set = reinterpret_cast<int (*)(CUcontext)>(dlsym(driver, "cuCtxSetCurrent"));
  ASSERT_EQ(reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0), 0);
  ASSERT_EQ(retain(&context, 1), 0);
  ASSERT_EQ(set(context), 0);
  int device = -1;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { device = run.device; });
  EXPECT_EQ(launcher.init(), 0) << launcher.last_error();
  EXPECT_EQ(launcher.call<>(), 0) << launcher.last_error();
  fake.finish();
  EXPECT_EQ(device, 1);
  fake.fail("cuCtxGetDevice", CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(launcher.call<>(), -1);
  EXPECT_THAT(launcher.last_error(), HasSubstr("cuCtxGetDevice failed with 201 CUDA_ERROR_INVALID_CONTEXT"));
  set(nullptr);
  EXPECT_EQ(launcher.call<>(), 0) << launcher.last_error();
  fake.finish();
  EXPECT_EQ(device, 0);
}

Program with_workspace() {
  ProgramBuilder program("workspace");
  program.output("out", dtype::kFloat32, {64}).variant("cuda").source("k.cu", "");
  program.workspace("partial", 1024);
  program.body().fill("partial", 1024, 7);
  program.launch("k").grid({1}).block({32}).args({"out", "partial"});
  return program.build().value();
}

TEST_F(ExportedCallTest, TakesWorkspacesFromTheDevicesPool) {
  fake.set_parameters("k", {8, 8});
  const StandAlone launcher(with_workspace());
  auto* const out = reinterpret_cast<void*>(0x1000);
  ASSERT_EQ(launcher.init(), 0) << launcher.last_error();
  fake.clear_calls();
  ASSERT_EQ(launcher.call<>(out), 0) << launcher.last_error();
  ASSERT_EQ(launcher.call<>(out), 0) << launcher.last_error();
  EXPECT_EQ(fake.calls("cuMemPoolSetAttribute").size(), 1U);
  EXPECT_EQ(fake.calls("cuMemAllocFromPoolAsync").size(), 2U);
  EXPECT_EQ(fake.calls("cuMemFreeAsync").size(), 2U);
  EXPECT_EQ(fake.live().allocations, 0U);
}

TEST_F(ExportedCallTest, ReportsFailedWorkspaceAllocation) {
  fake.set_parameters("k", {8, 8});
  const StandAlone launcher(with_workspace());
  for (const char* symbol : {"cuDeviceGetDefaultMemPool", "cuMemPoolSetAttribute", "cuMemAllocFromPoolAsync"}) {
    fake.fail(symbol, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(launcher.call<>(reinterpret_cast<void*>(0x1000)), -1);
    EXPECT_THAT(launcher.last_error(), HasSubstr("cannot allocate workspace \"partial\" (1024 bytes")) << symbol;
  }
  EXPECT_THAT(fake.calls(kLaunch), IsEmpty());
  EXPECT_EQ(fake.live().allocations, 0U);
}

TEST_F(ExportedCallTest, KeepsErrorPerCallAndThread) {
  ProgramBuilder program("positive");
  const Expr n = program.scalar("n", dtype::kInt32);
  program.variant("cuda").source("k.cu", "");
  program.check(n > 0, "n is not positive. Pass more.");
  program.launch("k").grid({1}).block({1}).arg(n);
  fake.set_parameters("k", {4});
  const StandAlone launcher(program.build().value());
  EXPECT_EQ(launcher.call<>(-1), -1);
  EXPECT_EQ(launcher.last_error(), "assertion failed: n is not positive. Pass more.");
  std::thread([&] {
    EXPECT_EQ(launcher.last_error(), "");
    EXPECT_EQ(launcher.call<>(1), 0) << launcher.last_error();
  }).join();
  EXPECT_EQ(launcher.last_error(), "assertion failed: n is not positive. Pass more.");
  EXPECT_EQ(launcher.call<>(1), 0);
  EXPECT_EQ(launcher.last_error(), "");
}

TEST_F(ExportedCallTest, TruncatesLongErrors) {
  ProgramBuilder program("wordy");
  const Expr n = program.scalar("n", dtype::kInt32);
  program.variant("cuda").source("k.cu", "");
  program.check(n > 0, std::string(10000, 'x'));
  program.launch("k").grid({1}).block({1}).arg(n);
  const StandAlone launcher(program.build().value());
  EXPECT_EQ(launcher.call<>(-1), -1);
  EXPECT_EQ(launcher.last_error(), ("assertion failed: " + std::string(4095, 'x')).substr(0, 4095));
}

TEST_F(ExportedCallTest, ReportsDriverFailures) {
  ProgramBuilder program("bare");
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({1});
  fake.set_parameters("k", {});
  const StandAlone launcher(program.build().value());
  fake.fail("cuLibraryLoadData", CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(launcher.init(), -1);
  EXPECT_THAT(launcher.last_error(), HasSubstr("cuLibraryLoadData failed with 200 CUDA_ERROR_INVALID_IMAGE"));
  fake.fail("cuCtxGetCurrent", CUDA_ERROR_DEINITIALIZED);
  EXPECT_EQ(launcher.call<>(), -1);
  EXPECT_THAT(launcher.last_error(), HasSubstr("cuCtxGetCurrent failed with 4 CUDA_ERROR_DEINITIALIZED"));
  EXPECT_EQ(launcher.init(), 0) << launcher.last_error();
  EXPECT_EQ(launcher.call<>(), 0) << launcher.last_error();
}

TEST_F(ExportedCallTest, ReportsMissingDevice) {
  fake.set_devices({});
  ProgramBuilder program("bare");
  program.variant("cuda").source("k.cu", "");
  program.launch("k").grid({1}).block({1});
  const StandAlone launcher(program.build().value());
  EXPECT_EQ(launcher.init(), -1);
  EXPECT_THAT(launcher.last_error(), HasSubstr("cuInit failed with 100 CUDA_ERROR_NO_DEVICE"));
  EXPECT_EQ(launcher.call<>(), -1);
  EXPECT_THAT(launcher.last_error(), HasSubstr("cuInit failed with 100 CUDA_ERROR_NO_DEVICE"));
}

}  // namespace
}  // namespace kmux::nvidia
