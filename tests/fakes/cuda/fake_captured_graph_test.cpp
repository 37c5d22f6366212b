#include <set>

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned long long kAutoFreeOnLaunch = 1;

// The contents of captured graphs, beyond the rules of driver_rules, which run over the fake as well.
class FakeCapturedGraphTest : public OpenedFake {
 protected:
  FakeCapturedGraphTest() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    begin_capture = reinterpret_cast<decltype(begin_capture)>(dlsym(driver, "cuStreamBeginCapture_v2"));
    end_capture = reinterpret_cast<decltype(end_capture)>(dlsym(driver, "cuStreamEndCapture"));
    EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_create(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS);
    fake.on_launch([this](const KernelRun& run) { runs.push_back(*static_cast<std::int32_t*>(run.args[1])); });
  }
  // Returns the executable of the operations that `record()` adds to the stream.
  template <class Record>
  CUgraphExec captured(Record record, unsigned long long flags = 0) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    EXPECT_EQ(begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    record();
    EXPECT_EQ(end_capture(stream, &graph), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_instantiate(&executable, graph, flags), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_destroy(graph), CUDA_SUCCESS);
    return executable;
  }
  CUresult (*begin_capture)(CUstream, CUstreamCaptureMode) = nullptr;
  CUresult (*end_capture)(CUstream, CUgraph*) = nullptr;
  CUstream stream = nullptr;
  CUstream other = nullptr;
  CUmemoryPool pool = nullptr;
  std::vector<int> runs;
};

TEST_F(FakeCapturedGraphTest, ReplaysKernelsWithCapturedArguments) {
  const CUgraphExec executable = captured([&] {
    for (second = 1; second <= 2; ++second) EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
  });
  EXPECT_THAT(runs, ElementsAre());
  EXPECT_EQ(cu.graph_launch(executable, other), CUDA_SUCCESS);
  EXPECT_EQ(cu.graph_launch(executable, other), CUDA_SUCCESS);
  EXPECT_THAT(runs, ElementsAre(1, 2, 1, 2));
}

TEST_F(FakeCapturedGraphTest, ReadsHostMemoryAtReplay) {
  std::int32_t host = 1;
  CUdeviceptr x = 0;
  EXPECT_EQ(cu.allocate(&x, 4, pool, stream), CUDA_SUCCESS);
  const CUgraphExec executable = captured([&] { EXPECT_EQ(cu.copy_to_device(x, &host, 4, stream), CUDA_SUCCESS); });
  host = 2;
  EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(*reinterpret_cast<std::int32_t*>(x), 2);
}

TEST_F(FakeCapturedGraphTest, ReportsReplayOfUnloadedCode) {
  const CUgraphExec executable = captured([&] { EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS); });
  EXPECT_EQ(cu.library_unload(library), CUDA_SUCCESS);
  EXPECT_EQ(fake.misuse(), "");
  EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(fake.misuse(), "cuGraphLaunch runs unloaded code: kernel \"add\"");
}

TEST_F(FakeCapturedGraphTest, OwnsCapturedAllocationsDuringReplay) {
  fake.set_parameters("add", {8, 4});
  CUdeviceptr address = 0;
  const CUgraphExec executable = captured([&] {
    EXPECT_EQ(cu.allocate(&address, 64, pool, stream), CUDA_SUCCESS);
    first = address;
    EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
    EXPECT_EQ(cu.free(address, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.free(address, stream), CUDA_ERROR_INVALID_VALUE) << "spoils it";
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  });
  EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_EQ(fake.misuse(), "");
  EXPECT_EQ(launch(config_of(1, 32, 0, stream)), CUDA_SUCCESS);
  EXPECT_THAT(fake.misuse(), HasSubstr("after it was freed"));
}

TEST_F(FakeCapturedGraphTest, KeepsAllocationsItDoesNotFree) {
  CUdeviceptr address = 0;
  const CUgraphExec executable =
      captured([&] { EXPECT_EQ(cu.allocate(&address, 64, pool, stream), CUDA_SUCCESS); }, kAutoFreeOnLaunch);
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(fake.live().allocations, 1U);
  EXPECT_EQ(cu.memset8(address, 1, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.free(address, stream), CUDA_SUCCESS);
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_EQ(fake.misuse(), "");
}

TEST_F(FakeCapturedGraphTest, IsNullAfterInvalidatedCapture) {
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  EXPECT_EQ(begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(fake.live().graphs, 1U);
  CUdeviceptr x = 0;
  EXPECT_EQ(cu.allocate(&x, 4, pool, other), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end_capture(stream, &graph), static_cast<CUresult>(901));
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(fake.live().graphs, 0U);
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_EQ(cu.allocate(&x, 4, pool, other), CUDA_SUCCESS);
}

TEST_F(FakeCapturedGraphTest, RunsForkedWorkInEveryAllowedOrder) {
  std::set<std::vector<int>> orders;
  CUevent fork = nullptr;
  CUevent join = nullptr;
  EXPECT_EQ(cu.event_create(&fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_create(&join, 0), CUDA_SUCCESS);
  const CUgraphExec executable = captured([&] {
    const auto put = [&](int number, CUstream on) {
      second = number;
      EXPECT_EQ(launch(config_of(1, 32, 0, on)), CUDA_SUCCESS);
    };
    put(1, stream);
    EXPECT_EQ(cu.event_record(fork, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_wait_event(other, fork, 0), CUDA_SUCCESS);
    put(2, stream), put(3, other);
    EXPECT_EQ(cu.event_record(join, other), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_wait_event(stream, join, 0), CUDA_SUCCESS);
    put(4, stream);
  });
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    fake.set_deferred(seed);
    runs.clear();
    EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_synchronize(stream), CUDA_SUCCESS);
    orders.insert(runs);
  }
  EXPECT_EQ(orders, (std::set<std::vector<int>>{{1, 2, 3, 4}, {1, 3, 2, 4}}));
}

}  // namespace
}  // namespace kmux::fake_cuda
