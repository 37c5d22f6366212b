#include "kernel_function.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "allocations.h"
#include "in_process_plugin.h"

namespace kmux::bridge {
namespace {

using ::testing::HasSubstr;

const Expr kN = Expr::symbol("n");
constexpr DLDeviceType kType = kDLExtDev;  // the fake devices', whose memory is the host's

Param floats(std::string name) { return buffer_param(std::move(name), dtype::kFloat32, {kN}); }

ffi::Function function_of(KernelParts parts) { return KernelFunction::make(make_kernel(std::move(parts)).value()); }

// Four floats on a device of the test.
struct Floats {
  explicit Floats(int device = 0, DLDeviceType type = kType, std::int64_t count = 4) : shape{count} {
    tensor = {values.data(), {type, device}, 1, {kDLFloat, 32, 1}, shape.data(), stride.data(), 0};
  }
  std::array<float, 4> values{1, 2, 3, 4};
  std::array<std::int64_t, 1> shape;
  std::array<std::int64_t, 1> stride{1};
  DLTensor tensor{};
};

// Returns the kind and message of the error that a call throws.
template <class... Args>
std::string failure(const ffi::Function& function, const Args&... args) {
  try {
    function(args...);
  } catch (const ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
  return "nothing was thrown";
}

TEST(KernelFunctionTest, PassesTensorsScalarsPointersAndNull) {
  std::array<std::uint64_t, 4> seen{};
  const Signature signature = fake_signature({floats("x"),
                                              scalar_param("s", dtype::kInt32),
                                              {"p", PointerParam{}},
                                              {"z", BufferParam{dtype::kInt8, {}, {}, 0, true}}});
  const auto function = function_of(fake_parts(
      signature,
      [&](const kmux_slot* slots, const kmux_launch_env&, kmux_sink) {
        for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = slots[i].bits;
        return KMUX_OK;
      },
      kType));
  Floats x;
  EXPECT_EQ(function(&x.tensor, 7, 64, nullptr), nullptr);
  EXPECT_EQ(seen[0], reinterpret_cast<std::uintptr_t>(x.values.data()));
  EXPECT_EQ(seen[1], 7U);
  EXPECT_EQ(seen[2], 64U);
  EXPECT_EQ(seen[3], 0U);
}

// The device and stream of a launch.
struct Place {
  int device = -1;
  void* stream = nullptr;
};

FakeLaunch record(Place& place) {
  return [&place](const kmux_slot*, const kmux_launch_env& env, kmux_sink) {
    place = {env.device, env.stream};
    return KMUX_OK;
  };
}

class EnvironmentStream {
 public:
  EnvironmentStream(DLDeviceType type, int device, void* stream) : type_(type), device_(device) {
    EXPECT_EQ(TVMFFIEnvSetStream(type, device, stream, &before_), 0);
  }
  ~EnvironmentStream() { EXPECT_EQ(TVMFFIEnvSetStream(type_, device_, before_, nullptr), 0); }

 private:
  DLDeviceType type_;
  int device_;
  void* before_ = nullptr;
};

TEST(KernelFunctionTest, UsesStreamOfTensorDevice) {
  int streams[2];
  const EnvironmentStream first(kType, 0, &streams[0]);
  const EnvironmentStream second(kType, 1, &streams[1]);
  Place place;
  KernelParts parts = fake_parts(fake_signature({floats("x")}), record(place), kType);
  static_cast<InProcessPlugin&>(*parts.plugin).devices().architectures = {"one", "one"};
  const auto function = function_of(std::move(parts));
  Floats here(0);
  Floats there(1);
  function(&here.tensor);
  EXPECT_EQ(place.stream, &streams[0]);
  function(&there.tensor);
  EXPECT_EQ(place.device, 1);
  EXPECT_EQ(place.stream, &streams[1]);
}

TEST(KernelFunctionTest, UsesStreamOfKernelDeviceWithoutTensors) {
  int stream = 0;
  const EnvironmentStream set(kType, 0, &stream);
  Place place;
  function_of(fake_parts(fake_signature({scalar_param("s", dtype::kInt8)}), record(place), kType))(1);
  EXPECT_EQ(place.stream, &stream);
}

TEST(KernelFunctionTest, IgnoresStreamOnHost) {
  int stream = 0;
  const EnvironmentStream set(kDLCPU, 0, &stream);
  Place place{0, &stream};
  Floats x(0, kDLCPU);
  function_of(fake_parts(fake_signature({floats("x")}), record(place)))(&x.tensor);
  EXPECT_EQ(place.stream, nullptr);
}

// y = x, z = 2 * x
kmux_code copy_and_double(const kmux_slot* slots, const kmux_launch_env&, kmux_sink) {
  const auto* x = static_cast<const float*>(slots[0].ptr);
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(slots[1].ptr)[i] = x[i];
    static_cast<float*>(slots[2].ptr)[i] = 2 * x[i];
  }
  return KMUX_OK;
}

TEST(KernelFunctionTest, AllocatesAndReturnsOmittedOutputs) {
  const auto function =
      function_of(fake_parts(fake_signature({floats("x"), floats("y"), floats("z")}, {"z", "y"}), copy_and_double));
  Floats x(0, kDLCPU);
  const auto outputs = function(&x.tensor).cast<ffi::Array<ffi::Tensor>>();
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].shape()[0], 4);
  EXPECT_EQ(static_cast<const float*>(outputs[0].data_ptr())[3], 8);
  EXPECT_EQ(static_cast<const float*>(outputs[1].data_ptr())[3], 4);
}

TEST(KernelFunctionTest, ReturnsSingleOutputAsTensor) {
  const auto function = function_of(fake_parts(fake_signature({floats("x"), floats("y")}, {"y"})));
  Floats x(0, kDLCPU);
  EXPECT_EQ(function(&x.tensor).cast<ffi::Tensor>().shape()[0], 4);
}

int environment_allocations = 0;

int allocate_for_the_environment(DLTensor* prototype, DLManagedTensorVersioned** out, void* error,
                                 void (*set_error)(void*, const char*, const char*)) {
  if (prototype->shape[0] > 100) return set_error(error, "MemoryError", "the pool is empty"), -1;
  ++environment_allocations;
  const DType type = to_dtype(prototype->dtype);
  *out = Tensor::empty({prototype->shape, prototype->shape + prototype->ndim}, type).value().to_dlpack_versioned();
  return 0;
}

TEST(KernelFunctionTest, AllocatesOutputsFromEnvironment) {
  DLPackManagedTensorAllocator before = nullptr;
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate_for_the_environment, 0, &before), 0);
  const auto function = function_of(fake_parts(fake_signature({floats("x"), floats("y")}, {"y"})));
  Floats x(0, kDLCPU);
  EXPECT_EQ(function(&x.tensor).cast<ffi::Tensor>().shape()[0], 4);
  EXPECT_EQ(environment_allocations, 1);
  Floats large(0, kDLCPU, 1000);
  EXPECT_THAT(failure(function, &large.tensor), HasSubstr("MemoryError: the pool is empty"));
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, nullptr), 0);
}

TEST(KernelFunctionTest, WritesIntoGivenOutputs) {
  const auto function =
      function_of(fake_parts(fake_signature({floats("x"), floats("y"), floats("z")}, {"z", "y"}), copy_and_double));
  Floats x(0, kDLCPU);
  Floats y(0, kDLCPU);
  Floats z(0, kDLCPU);
  EXPECT_EQ(function(&x.tensor, &y.tensor, &z.tensor), nullptr);
  EXPECT_EQ(z.values[3], 8);
}

TEST(KernelFunctionTest, ReportsTypeErrorsAndValueErrors) {
  const auto function = function_of(fake_parts(fake_signature({floats("x"), floats("y")}), {}, kType));
  Floats x;
  Floats shorter(0, kType, 3);
  Floats elsewhere(0, kDLCUDA);
  EXPECT_THAT(failure(function, &x.tensor), HasSubstr("TypeError: kernel \"fake\": expected 2 arguments, got 1"));
  EXPECT_THAT(failure(function, &x.tensor, ffi::String("text")),
              HasSubstr("TypeError: kernel \"fake\": parameter \"y\""));
  EXPECT_THAT(failure(function, &x.tensor, 3), HasSubstr("TypeError: "));
  EXPECT_THAT(failure(function, &x.tensor, &shorter.tensor), HasSubstr("ValueError: "));
  EXPECT_THAT(failure(function, &x.tensor, &elsewhere.tensor), HasSubstr("ValueError: "));
}

// C2.17
TEST(KernelFunctionTest, ReportsExpectedArgumentCount) {
  const auto function = function_of(fake_parts(fake_signature({floats("x"), floats("y"), floats("z")}, {"z"})));
  Floats x;
  EXPECT_THAT(failure(function, &x.tensor),
              HasSubstr("TypeError: kernel \"fake\": expected 2 or 3 arguments, got 1 (they are x, y; or, with "
                        "outputs, x, y, z). Pass one of each, in this order."));
}

TEST(KernelFunctionTest, ReportsLaunchFailureAsKmuxError) {
  const auto function =
      function_of(fake_parts(fake_signature({}), [](const kmux_slot*, const kmux_launch_env&, kmux_sink error) {
        error.write(error.self, "it is on fire", 13);
        return KMUX_LAUNCH_FAILED;
      }));
  EXPECT_THAT(failure(function), HasSubstr("kmux.launch_failed: kernel \"fake\": it is on fire"));
}

TEST(KernelFunctionTest, Accepts200ArgumentsAndRejects5000) {
  std::vector<Param> params;
  for (int i = 0; i < 200; ++i) params.push_back(scalar_param("s" + std::to_string(i), dtype::kInt32));
  const auto function = function_of(fake_parts(fake_signature(std::move(params))));
  std::vector<ffi::AnyView> values(200, ffi::AnyView(1));
  ffi::Any result;
  EXPECT_NO_THROW(function.CallPacked(values.data(), 200, &result));
  values.resize(5000, ffi::AnyView(1));
  EXPECT_THROW(function.CallPacked(values.data(), 5000, &result), ffi::Error);
}

TEST(KernelFunctionTest, AllocatesNothingWithGivenOutputs) {
  const auto function = function_of(
      fake_parts(fake_signature({floats("x"), floats("y"), scalar_param("s", dtype::kFloat32)}, {"y"}), {}, kType));
  Floats x;
  Floats y;
  const std::array<ffi::AnyView, 3> values{&x.tensor, &y.tensor, 0.5};
  ffi::Any result;
  function.CallPacked(values.data(), 3, &result);  // the environment makes its table of streams
  const std::size_t before = test::allocations();
  for (int i = 0; i < 10; ++i) function.CallPacked(values.data(), 3, &result);
  EXPECT_EQ(test::allocations(), before);
}

TEST(KernelFunctionTest, IdentifiesItsKernel) {
  const auto function = function_of(fake_parts(fake_signature({})));
  EXPECT_EQ(KernelFunction::kernel_of(function).name(), "fake");
  const auto other = ffi::Function::FromTyped([] { return 1; });
  EXPECT_THROW(KernelFunction::kernel_of(other), ffi::Error);
}

TEST(KernelFunctionTest, RegistersGlobalFunctions) {
  for (const char* name : {"kmux.load_program", "kmux.compile", "kmux.resolve", "kmux.par_compile", "kmux.version"}) {
    EXPECT_TRUE(ffi::Function::GetGlobal(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace kmux::bridge
