#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::ElementsAre;

class FakeLaunchTest : public OpenedFake {
 protected:
  CUresult launch_with(CUlaunchAttributeID id, const CUlaunchAttributeValue& value, unsigned blocks = 4) {
    CUlaunchAttribute attribute{id, {}, value};
    CUlaunchConfig config = config_of(blocks, 128);
    config.attrs = &attribute, config.numAttrs = 1;
    return launch(config);
  }
  CUresult launch_cluster(unsigned size, unsigned blocks) {
    CUlaunchAttributeValue value{};
    value.clusterDim = {size, 1, 1};
    return launch_with(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value, blocks);
  }
  int attribute(CUfunction_attribute wanted) {
    int value = -1;
    EXPECT_EQ(cu.kernel_attribute_get(&value, wanted, kernel, 0), CUDA_SUCCESS);
    return value;
  }
  CUresult raise(int bytes) {
    return cu.kernel_attribute_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes, kernel, 0);
  }
};

TEST_F(FakeLaunchTest, RecordsEveryArgument) {
  EXPECT_EQ(launch(config_of(4, 128)), CUDA_SUCCESS);
  EXPECT_THAT(fake.calls(), ElementsAre("cuLaunchKernelEx add grid 4,1,1 block 128,1,1 smem 0 stream 0x0 args "
                                        "[0x0000000000001234 0x00000007] attributes []"));
}

TEST_F(FakeLaunchTest, RecordsAndValidatesAttributes) {
  CUlaunchAttributeValue window{};
  window.accessPolicyWindow = {&first, 1024, 0.5F, CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_STREAMING};
  EXPECT_EQ(launch_with(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, window), CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(0), testing::ContainsRegex("\\[window 0x[0-9a-f]+ bytes 1024 hit 0.5 persisting else "
                                                         "streaming\\]"));
  window.accessPolicyWindow.num_bytes = std::size_t{1} << 30;
  EXPECT_EQ(launch_with(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, window), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch_with(static_cast<CUlaunchAttributeID>(77), window), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeLaunchTest, RejectsOutOfRangeExtents) {
  EXPECT_EQ(launch(config_of(0, 128)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(config_of(1, 1025)), CUDA_ERROR_INVALID_VALUE);
  CUlaunchConfig deep = config_of(1, 1);
  deep.gridDimY = 65536;
  EXPECT_EQ(launch(deep), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeLaunchTest, LimitsDynamicSharedMemoryByAttribute) {
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 48 << 10);
  EXPECT_EQ(launch(config_of(1, 32, 48 << 10)), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, (48 << 10) + 1)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(raise(232448 + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(raise(232448), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 232448)), CUDA_SUCCESS);
}

TEST_F(FakeLaunchTest, CountsStaticSharedMemory) {
  fake.set_static_shared("tiled", 1024);
  EXPECT_EQ(cu.library_kernel(&kernel, library, "tiled"), CUDA_SUCCESS);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 47 << 10);
  EXPECT_EQ(launch(config_of(1, 32, 47 << 10)), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 48 << 10)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(raise(48 << 10), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 48 << 10)), CUDA_SUCCESS);
  EXPECT_EQ(raise(100), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 101)), CUDA_ERROR_INVALID_VALUE) << "lowered";
}

TEST_F(FakeLaunchTest, ValidatesClusterSize) {
  EXPECT_EQ(launch_cluster(2, 4), CUDA_SUCCESS);
  EXPECT_EQ(launch_cluster(3, 4), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launch_cluster(16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(cu.kernel_attribute_set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, kernel, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch_cluster(16, 16), CUDA_SUCCESS);
}

TEST_F(FakeLaunchTest, RejectsOversizedCooperativeGrids) {
  CUlaunchAttributeValue cooperative{};
  cooperative.cooperative = 1;
  EXPECT_EQ(launch_with(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative, 132 * 16), CUDA_SUCCESS);
  EXPECT_EQ(launch_with(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative, 132 * 16 + 1),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(FakeLaunchTest, RunsOnDeviceOfItsStream) {
  fake.set_devices({Device{}, Device{}});
  begin();
  CUstream stream = nullptr;
  EXPECT_EQ(cu.stream_create(&stream, 0), CUDA_SUCCESS);
  std::vector<int> devices;
  fake.on_launch([&](const KernelRun& run) { devices.push_back(run.device); });
  EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
  EXPECT_EQ(cu.primary_retain(&context, 1), CUDA_SUCCESS);
  EXPECT_EQ(cu.current_set(context), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 0, reinterpret_cast<CUstream>(2))), CUDA_SUCCESS);
  EXPECT_EQ(cu.current_set(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_THAT(devices, ElementsAre(0, 0, 1, 0));
}

TEST_F(FakeLaunchTest, RejectsFunctionOfAnotherContext) {
  fake.set_devices({Device{}, Device{}});
  begin();
  CUfunction function = nullptr;
  EXPECT_EQ(cu.kernel_function(&function, kernel), CUDA_SUCCESS);
  const CUlaunchConfig config = config_of(1, 32);
  void* args[] = {&first, &second};
  EXPECT_EQ(cu.launch(&config, function, args, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.primary_retain(&context, 1), CUDA_SUCCESS);
  EXPECT_EQ(cu.current_set(context), CUDA_SUCCESS);
  EXPECT_EQ(cu.launch(&config, function, args, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeLaunchTest, ReportsParameterOffsets) {
  fake.set_parameters("mixed", {2, 8, 128});
  EXPECT_EQ(cu.library_kernel(&kernel, library, "mixed"), CUDA_SUCCESS);
  std::size_t offset = 0;
  std::size_t size = 0;
  EXPECT_EQ(cu.kernel_parameter(kernel, 1, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8U);
  EXPECT_EQ(cu.kernel_parameter(kernel, 2, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 64U);
  EXPECT_EQ(size, 128U);
  EXPECT_EQ(cu.kernel_parameter(kernel, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeLaunchTest, ReadsPtxParameters) {
  constexpr const char* kPtx =
      ".version 8.0\n.target sm_90\n.visible .entry k(.param .u32 n, .param .align 64 .b8 map[128]) { ret; }\n";
  CUlibrary ptx = nullptr;
  EXPECT_EQ(cu.library_load(&ptx, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.library_kernel(&kernel, ptx, "k"), CUDA_SUCCESS);
  std::size_t offset = 0;
  std::size_t size = 0;
  EXPECT_EQ(cu.kernel_parameter(kernel, 0, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(size, 4U);
  EXPECT_EQ(cu.kernel_parameter(kernel, 1, &offset, &size), CUDA_SUCCESS);
  EXPECT_EQ(offset, 64U);
  EXPECT_EQ(size, 128U);
  EXPECT_EQ(cu.kernel_parameter(kernel, 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeLaunchTest, RunsCallbackExceptDuringCapture) {
  std::vector<std::string> runs;
  fake.on_launch([&](const KernelRun& run) {
    runs.push_back(run.kernel + " " + std::to_string(*static_cast<std::int32_t*>(run.args[1])));
  });
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  fake.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  EXPECT_THAT(runs, ElementsAre("add 7"));
}

}  // namespace
}  // namespace kmux::fake_cuda
