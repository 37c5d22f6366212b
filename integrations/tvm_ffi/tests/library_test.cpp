// The library as others see it: this program links TVM-FFI and nothing of kmux.
#include <array>

#include <gtest/gtest.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

namespace {

namespace ffi = ::tvm::ffi;

constexpr const char* kProgram = KMUX_TEST_SOURCE_DIR "/examples/programs/scale/scale.kmux.json";

ffi::Function compiled() {
  const char* const path = kProgram;
  // [library.begin]
  ffi::Module::LoadFromFile(KMUX_TVM_FFI_LIBRARY);  // its functions stay
  const auto load = ffi::Function::GetGlobalRequired("kmux.load_program");
  const auto compile = ffi::Function::GetGlobalRequired("kmux.compile");
  const ffi::Map<ffi::String, ffi::Any> options{{"target", ffi::String("cpu")}};
  const auto scale = compile(load(path), options).cast<ffi::Function>();
  // [library.end]
  return scale;
}

TEST(LibraryTest, ProvidesKernelsThroughTvmFfi) {
  std::array<float, 3> x{1, 2, 3};
  std::array<float, 3> y{};
  std::array<std::int64_t, 1> shape{3};
  std::array<std::int64_t, 1> stride{1};
  DLTensor a{x.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape.data(), stride.data(), 0};
  DLTensor b = a;
  b.data = y.data();
  const ffi::Function scale = compiled();
  scale(&a, 2.0, &b);
  EXPECT_EQ(y[2], 6);
  EXPECT_EQ(static_cast<const float*>(scale(&a, 3).cast<ffi::Tensor>().data_ptr())[2], 9);
}

TEST(LibraryTest, RaisesTypeErrorForMissingArguments) {
  const ffi::Function scale = compiled();
  try {
    scale(1);
    FAIL() << "nothing was thrown";
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "TypeError");
  }
}

}  // namespace
