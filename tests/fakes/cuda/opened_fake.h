#pragma once

#include <cstdlib>
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_cuda.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::fake_cuda {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface

/// The functions of the fake driver with the context of device 0 current, and a kernel "add" of two parameters.
class OpenedFake : public testing::Test {
 protected:
  OpenedFake() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define KMUX_CALL(name, symbol, params) cu.name = reinterpret_cast<CUresult(*) params>(dlsym(driver, #symbol));
    KMUX_DRIVER_CALLS(KMUX_CALL)
    KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
    fake.set_parameters("add", {8, 4});
    begin();
  }

  /// Makes a context and a kernel, unrecorded.
  void begin() {
    EXPECT_EQ(cu.init(0), CUDA_SUCCESS);
    EXPECT_EQ(cu.primary_retain(&context, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.current_set(context), CUDA_SUCCESS);
    EXPECT_EQ(cu.library_load(&library, "code", nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.library_kernel(&kernel, library, "add"), CUDA_SUCCESS);
    fake.clear_calls();
  }

  CUresult launch(CUlaunchConfig config) {
    void* args[] = {&first, &second};
    return cu.launch(&config, reinterpret_cast<CUfunction>(kernel), args, nullptr);
  }
  static CUlaunchConfig config_of(unsigned blocks, unsigned threads, unsigned smem = 0, CUstream stream = nullptr) {
    return {blocks, 1, 1, threads, 1, 1, smem, stream, nullptr, 0};
  }

  // Tests of the fake choose when work is executed: at once unless they request otherwise.
  static FakeCuda load_at_once() {
    unsetenv("KMUX_FAKE_CUDA_SEED");
    return FakeCuda::load();
  }
  FakeCuda fake = load_at_once();
  DriverTable cu{};
  CUcontext context = nullptr;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  std::uint64_t first = 0x1234;
  std::int32_t second = 7;
};

}  // namespace kmux::fake_cuda
