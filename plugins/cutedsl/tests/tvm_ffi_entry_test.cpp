// The functions that a compiled launcher exports to TVM-FFI, over the fake driver: as used by a host with libtvm_ffi.
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/tvm_ffi_abi.h"

#include "cubin_example.h"
#include "current_context.h"
#include "fake_cuda.h"
#include "launchers.h"
#include "workbench.h"

namespace {
thread_local std::string raised;
}

// Replaces libtvm_ffi's function.
extern "C" __attribute__((visibility("default"))) void TVMFFIErrorSetRaisedFromCStr(const char* kind,
                                                                                    const char* text) {
  raised = std::string(kind) + ": " + text;
}

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// Returns a library that scales a vector twice, by a half, and shifts it in between.
const std::string& library() {
  static const std::string bytes = [] {
    ProgramBuilder builder = vector_program("");
    builder.scalar("h", dtype::kFloat16);
    builder.launch("scale").grid({1}).block({128}).args({"x", "h"});
    builder.launch("shift").grid({2}).block({64}).dynamic_smem_bytes(100).args({"x"});
    builder.launch("scale").grid({3}).block({128}).args({"x", "h"});
    const Program program = builder.build().value();
    FakeHost host;
    CuteDslBackend backend(host);
    const BuildRequest request{program, 0, Target{"cuda", "sm_90a", {}}, {}};
    const auto compilation = nvidia::Compilation::begin(host, "test").value();
    const nvidia::LauncherCompiler compiler(compilation, find_host_compiler("", "the test").value());
    compiler.translate(backend.wrapper().wrap(request).value()).value();
    return compiler.link("none", {"scale", "shift"}, {"cutlass_scale_0", "cutlass_shift_1"}).value();
  }();
  return bytes;
}

TVMFFIAny integer(std::int64_t value) {
  TVMFFIAny any{kTVMFFIInt, 0, {}};
  any.v_int64 = value;
  return any;
}

class TvmFfiEntryTest : public testing::Test {
 protected:
  using Function = int(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);

  TvmFfiEntryTest() { raised.clear(); }
  ~TvmFfiEntryTest() override { cleanup(); }

  std::string cubin(const std::string& name, const std::vector<std::string>& kernels) {
    nvidia::CubinExample example;
    for (const std::string& kernel : kernels) {
      const bool shifts = kernel.find("shift") != std::string::npos;
      example.symbols.push_back({.name = kernel, .parameters = {16}});
      if (!shifts) example.symbols.back().parameters.push_back(2);
    }
    folder.write(name, example.bytes()).value();
    return folder.path() + "/" + name;
  }
  std::string usual() { return cubin("usual.cubin", {"cutlass_scale_0", "cutlass_shift_1"}); }

  int launch(const std::string& path, std::int64_t device = 0) {
    return launch(path, device, static_cast<int>(device));
  }
  int launch(const std::string& path, std::int64_t device, int tensor_device) {
    DLTensor data = data_;  // threads launch on separate devices
    data.device.device_id = tensor_device;
    TVMFFIAny tensor{kTVMFFIDLTensorPtr, 0, {}};
    tensor.v_ptr = &data;
    TVMFFIAny half{kTVMFFIFloat, 0, {}};
    half.v_float64 = 1.5;
    TVMFFIAny text{8, 0, {}};  // kTVMFFIRawStr
    text.v_ptr = const_cast<char*>(path.c_str());
    return call({tensor, half, integer(1), integer(device), text});
  }
  int call(const std::vector<TVMFFIAny>& args) {
    return entry("__tvm_ffi_launch_kernel")(nullptr, args.data(), static_cast<int>(args.size()), &result);
  }
  int cleanup() { return entry("__tvm_ffi_cleanup_module")(nullptr, nullptr, 0, &result); }
  std::string last_error() { return library_.last_error(); }
  Function& entry(const char* name) { return *library_.find<Function>(name); }

  FakeCuda fake = FakeCuda::load();
  PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  TVMFFIAny result{};

 private:
  nvidia::StandAlone library_{library()};
  std::int64_t shape_[1] = {1000};
  DLTensor data_{reinterpret_cast<void*>(0x10000), {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape_, nullptr, 0};
};

TEST_F(TvmFfiEntryTest, LaunchesInHostOrder) {
  ASSERT_EQ(launch(usual()), 0) << raised;
  EXPECT_EQ(result.type_index, kTVMFFIInt);
  EXPECT_EQ(result.v_int64, 0);
  nvidia::make_current();
  fake.clear_calls();
  ASSERT_EQ(launch(usual()), 0) << raised;
  const auto calls = fake.calls("cuLaunchKernelEx");
  ASSERT_THAT(calls, SizeIs(3));
  EXPECT_THAT(calls[0],
              AllOf(HasSubstr("cutlass_scale_0 grid 1,1,1 block 128,1,1 smem 0 stream 0x1"), HasSubstr("0x3e00")));
  EXPECT_THAT(calls[1], HasSubstr("cutlass_shift_1 grid 2,1,1 block 64,1,1 smem 100 stream 0x1"));
  EXPECT_THAT(calls[2], HasSubstr("cutlass_scale_0 grid 3,1,1 block 128,1,1"));
}

TEST_F(TvmFfiEntryTest, InitializesDeviceStateOnce) {
  fake.set_devices({{}, {}});
  const std::string path = usual();
  for (const int device : {0, 1, 0, 1}) ASSERT_EQ(launch(path, device), 0) << raised;
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), SizeIs(1));
  EXPECT_THAT(fake.calls("cuDevicePrimaryCtxRetain"), SizeIs(2));
  EXPECT_EQ(fake.live().contexts, 2u);
}

TEST_F(TvmFfiEntryTest, ThreadsShareOneInitialization) {
  const std::string path = usual();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { failures += launch(path) == 0 ? 0 : 1; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), SizeIs(1));
  EXPECT_THAT(fake.calls("cuDevicePrimaryCtxRetain"), SizeIs(1));
}

TEST_F(TvmFfiEntryTest, LoadsPathOfEachCall) {
  ASSERT_EQ(launch(usual()), 0) << raised;
  ASSERT_EQ(launch(cubin("other.cubin", {"cutlass_scale_0", "cutlass_shift_1"})), 0) << raised;
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), SizeIs(2));
}

TEST_F(TvmFfiEntryTest, AcceptsAllStringAndBytesForms) {
  struct {
    const char* data;
    std::size_t size;
  } array{"/gone.cubin, and more", 11};
  TVMFFIAny bytes{9, 0, {}};  // kTVMFFIByteArrayPtr
  bytes.v_ptr = &array;
  TVMFFIAny small{12, 5, {}};  // kTVMFFISmallBytes
  std::memcpy(&small.v_int64, "/gone", 5);
  struct {
    TVMFFIObject object;
    const char* data;
    std::size_t size;
  } string{{}, "/gone.cubin", 11};
  TVMFFIAny object{65, 0, {}};  // kTVMFFIStr
  object.v_ptr = &string;
  DLTensor empty{nullptr, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, nullptr, nullptr, 0};
  std::int64_t none = 0;
  empty.shape = &none;
  TVMFFIAny tensor{kTVMFFIDLTensorPtr, 0, {}};
  tensor.v_ptr = &empty;
  for (const TVMFFIAny& path : {bytes, small, object}) {
    EXPECT_EQ(call({tensor, integer(0), integer(0), integer(0), path}), -1);
    EXPECT_THAT(raised,
                HasSubstr(path.type_index == 12 ? "\"/gone\" does not exist" : "\"/gone.cubin\" does not exist"));
  }
  EXPECT_EQ(call({tensor, integer(0), integer(0), integer(0), integer(7)}), -1);
  EXPECT_THAT(raised, StartsWith("ValueError: argument \"cubin_path\""));
  EXPECT_EQ(call({tensor, integer(0), integer(0), tensor, bytes}), -1);
  EXPECT_THAT(raised, StartsWith("ValueError: argument \"device_id\""));
}

TEST_F(TvmFfiEntryTest, DistinguishesMissingUnreadableAndEmpty) {
  EXPECT_EQ(launch(folder.path() + "/none"), -1);
  EXPECT_THAT(raised, AllOf(StartsWith("RuntimeError: the cubin"), HasSubstr("/none\" does not exist")));
  EXPECT_EQ(launch(folder.path()), -1);
  EXPECT_THAT(raised, HasSubstr("cannot be read (Is a directory)"));
  folder.write("empty", "").value();
  EXPECT_EQ(launch(folder.path() + "/empty"), -1);
  EXPECT_THAT(raised, HasSubstr("/empty\" is empty"));
  EXPECT_EQ(launch(usual()), 0) << raised;
}

// C2.13: the value must not be cut to 32 bits, which once selected device 0.
TEST_F(TvmFfiEntryTest, RejectsInvalidDevice) {
  for (const std::int64_t device : {std::int64_t{1} << 32, std::int64_t{64}, std::int64_t{-1}}) {
    EXPECT_EQ(launch(usual(), device, 0), -1);
    EXPECT_THAT(raised, AllOf(StartsWith("ValueError: argument \"device_id\" is " + std::to_string(device)),
                              HasSubstr("(devices are 0 to 63)")));
  }
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
}

// C2.13: the only error channel of a process without libtvm_ffi.
TEST_F(TvmFfiEntryTest, LastErrorMatchesRaisedText) {
  EXPECT_EQ(launch(folder.path() + "/none"), -1);
  EXPECT_THAT(last_error(), HasSubstr("/none\" does not exist"));
  EXPECT_EQ(call({integer(1), integer(2)}), -1);
  EXPECT_THAT(last_error(), HasSubstr("expected 5 arguments, got 2"));
  ASSERT_EQ(launch(usual()), 0) << raised;
  EXPECT_EQ(last_error(), "");
}

TEST_F(TvmFfiEntryTest, FindsKernelsByPartialName) {
  ASSERT_EQ(launch(cubin("a", {"x_scale_y", "scale_1", "x_shift_1_y"})), 0) << raised;
  EXPECT_THAT(fake.calls("cuLibraryGetKernel"), ElementsAre(HasSubstr("x_scale_y"), HasSubstr("x_shift_1_y")));
}

TEST_F(TvmFfiEntryTest, ReportsAmbiguousAndMissingNames) {
  EXPECT_EQ(launch(cubin("a", {"x_scale_y", "z_scale_y", "shift"})), -1);
  EXPECT_THAT(raised,
              AllOf(StartsWith("ValueError: more than one kernel"), HasSubstr("(there are x_scale_y, z_scale_y)")));
  EXPECT_EQ(launch(cubin("b", {"shift"})), -1);
  EXPECT_THAT(raised, AllOf(HasSubstr("no kernel"), HasSubstr("is \"scale\" (there are shift)")));
}

TEST_F(TvmFfiEntryTest, RejectsMismatchedParameters) {
  EXPECT_EQ(launch(cubin("a", {"cutlass_scale_0", "cutlass_scale_2_shift_1"})), 0) << raised;
  nvidia::CubinExample example;
  example.symbols = {{.name = "cutlass_scale_0", .parameters = {8, 4}},
                     {.name = "cutlass_shift_1", .parameters = {16}}};
  folder.write("b", example.bytes()).value();
  fake.clear_calls();
  EXPECT_EQ(launch(folder.path() + "/b"), -1);
  EXPECT_THAT(raised, HasSubstr("parameter 0 of kernel \"cutlass_scale_0\" has 8 bytes (a launch passes 16)"));
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
}

TEST_F(TvmFfiEntryTest, ValidatesArguments) {
  EXPECT_EQ(call({integer(1), integer(2)}), -1);
  EXPECT_THAT(raised, AllOf(StartsWith("ValueError: "), HasSubstr("cubin_path")));
  EXPECT_EQ(call({integer(1), integer(2), integer(0), integer(0), integer(0)}), -1);
  EXPECT_THAT(raised, HasSubstr("parameter \"x\""));
}

TEST_F(TvmFfiEntryTest, CleanupReleasesAllAndAllowsLaunches) {
  ASSERT_EQ(launch(usual()), 0) << raised;
  EXPECT_EQ(cleanup(), 0) << raised;
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
  EXPECT_EQ(cleanup(), 0);
  ASSERT_EQ(launch(usual()), 0) << raised;
  EXPECT_EQ(fake.live().libraries, 1u);
}

TEST_F(TvmFfiEntryTest, CleanupContinuesAfterFailures) {
  fake.set_devices({{}, {}});
  const std::string path = usual();
  ASSERT_EQ(launch(path, 0), 0) << raised;
  ASSERT_EQ(launch(path, 1), 0) << raised;
  fake.fail("cuLibraryUnload", nvidia::CUDA_ERROR_ILLEGAL_ADDRESS);
  fake.fail("cuDevicePrimaryCtxRelease_v2", nvidia::CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cleanup(), -1);
  EXPECT_THAT(raised, AllOf(StartsWith("RuntimeError: "), HasSubstr("cuLibraryUnload failed with 700"),
                            HasSubstr("cuDevicePrimaryCtxRelease failed with 999")));
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
  EXPECT_EQ(launch(path, 1), 0) << raised;
}

}  // namespace
}  // namespace kmux::cutedsl
