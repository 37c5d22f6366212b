#include <cstring>
#include <set>

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kSeeds = 100;

// A fake whose streams defer their work, and a kernel "fill" of an address and a number.
class FakeDeferredTest : public OpenedFake {
 protected:
  void begin_with(std::uint64_t seed) {
    fake.reset();
    fake.set_parameters("fill", {8, 4});
    fake.set_parameters("add", {8, 4});
    begin();
    EXPECT_EQ(cu.library_kernel(&kernel, library, "fill"), CUDA_SUCCESS);
    EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_create(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    fake.on_launch([](const KernelRun& run) {
      void* to = nullptr;
      std::memcpy(static_cast<void*>(&to), run.args[0], sizeof to);
      std::memcpy(to, run.args[1], sizeof(int));
    });
    fake.set_deferred(seed);
  }
  CUdeviceptr allocate(CUstream on, std::size_t bytes = 256) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cu.allocate(&address, bytes, pool, on), CUDA_SUCCESS);
    return address;
  }
  CUresult fill(CUdeviceptr to, int value, CUstream on) {
    void* args[] = {&to, &value};
    const CUlaunchConfig config = config_of(1, 1, 0, on);
    return cu.launch(&config, reinterpret_cast<CUfunction>(kernel), args, nullptr);
  }
  static int read(CUdeviceptr from) { return *reinterpret_cast<const int*>(from); }
  // Returns the misuse that `play()` leads to over all seeds.
  template <class Play>
  std::set<std::string> misuses_of(Play play) {
    std::set<std::string> found;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      begin_with(seed);
      play();
      fake.finish();
      found.insert(fake.misuse());
    }
    return found;
  }
  CUmemoryPool pool = nullptr;
  CUstream stream = nullptr;
  CUstream other = nullptr;
};

TEST_F(FakeDeferredTest, MayDelayWorkUntilSynchronization) {
  std::set<int> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    begin_with(seed);
    const CUdeviceptr x = allocate(stream);
    EXPECT_EQ(cu.memset8(x, 0, 4, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_synchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(read(x), 0);
    EXPECT_EQ(fill(x, 7, stream), CUDA_SUCCESS);
    seen.insert(read(x));
    EXPECT_EQ(cu.stream_synchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(read(x), 7);
  }
  EXPECT_EQ(seen, (std::set<int>{0, 7}));
}

TEST_F(FakeDeferredTest, ReusesFreedBlockInStreamOrder) {
  begin_with(1);
  const CUdeviceptr x = allocate(stream);
  EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
  EXPECT_EQ(allocate(stream), x);
  EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
  EXPECT_NE(allocate(stream, 100000), x) << "larger";
  EXPECT_EQ(fake.live().allocations, 1U);
}

TEST_F(FakeDeferredTest, ReusesBlockAcrossStreamsOnlyAfterFreeCompletes) {
  std::set<bool> reused;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    begin_with(seed);
    const CUdeviceptr x = allocate(stream);
    EXPECT_EQ(fill(x, 1, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
    const CUdeviceptr y = allocate(other);
    reused.insert(x == y);
    EXPECT_EQ(fill(y, 2, other), CUDA_SUCCESS);
    fake.finish();
    EXPECT_EQ(read(y), 2);
    EXPECT_EQ(fake.misuse(), "");
  }
  EXPECT_EQ(reused, (std::set<bool>{false, true})) << "the second where the free happened to be done";
}

TEST_F(FakeDeferredTest, ReusesBlockOnStreamOrderedAfterFree) {
  begin_with(1);
  CUevent event = nullptr;
  EXPECT_EQ(cu.event_create(&event, 0), CUDA_SUCCESS);
  const CUdeviceptr x = allocate(stream);
  EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.event_record(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.stream_wait_event(other, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(allocate(other), x);
}

TEST_F(FakeDeferredTest, DetectsUseAfterFreeOnAnotherStream) {
  const auto found = misuses_of([this] {
    const CUdeviceptr x = allocate(stream);
    fill(x, 1, stream);
    cu.stream_synchronize(stream);
    fill(x, 2, stream);
    cu.free(x, other);
  });
  EXPECT_THAT(found, Contains(""));
  EXPECT_THAT(found, Contains(AllOf(HasSubstr("kernel \"fill\" on stream 0x3000010 uses 0x"),
                                    HasSubstr(" (256 bytes, allocated on stream 0x3000010 by "),
                                    HasSubstr("kmux_fake_cuda_test"), HasSubstr(" after it was freed"))));
}

TEST_F(FakeDeferredTest, DetectsUseBeforeAllocationOnAnotherStream) {
  const auto found = misuses_of([this] { fill(allocate(stream), 1, other); });
  EXPECT_THAT(found, Contains(HasSubstr(" before its allocation")));
}

TEST_F(FakeDeferredTest, DetectsLegacyStreamRacesWithNonBlockingStreams) {
  const auto found = misuses_of([this] {
    const CUdeviceptr x = allocate(nullptr);
    fill(x, 1, nullptr);
    cu.free(x, nullptr);
    fill(allocate(nullptr), 2, stream);
  });
  EXPECT_THAT(found, Contains(HasSubstr("kernel \"fill\" on stream 0x3000010")));
}

TEST_F(FakeDeferredTest, ReportsNoMisuseForOrderedStreams) {
  const auto found = misuses_of([this] {
    CUevent event = nullptr;
    cu.event_create(&event, 0);
    const CUdeviceptr x = allocate(stream);
    cu.event_record(event, stream);
    cu.stream_wait_event(other, event, 0);
    fill(x, 1, other);
    cu.event_record(event, other);
    cu.stream_wait_event(stream, event, 0);
    cu.free(x, stream);
    fill(allocate(stream), 2, stream);
  });
  EXPECT_THAT(found, Each(IsEmpty()));
}

TEST_F(FakeDeferredTest, DetectsMisuseByFillsAndCopies) {
  EXPECT_THAT(misuses_of([this] { cu.memset8(allocate(stream), 1, 4, other); }),
              Contains(HasSubstr("memset on stream 0x3000020 uses ")));
  EXPECT_THAT(misuses_of([this] {
                const CUdeviceptr x = allocate(stream);
                cu.copy(x, allocate(other), 4, other);
              }),
              Contains(HasSubstr("copy on stream 0x3000020 uses ")));
}

TEST_F(FakeDeferredTest, DetectsUseAfterFree) {
  const auto found = misuses_of([this] {
    const CUdeviceptr x = allocate(stream);
    cu.free(x, stream);
    fill(x, 1, stream);
  });
  EXPECT_THAT(found, Each(HasSubstr(" after it was freed")));
}

TEST_F(FakeDeferredTest, DetectsDoubleFree) {
  begin_with(1);
  const CUdeviceptr x = allocate(stream);
  EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
  EXPECT_EQ(cu.free(x, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(fake.misuse(), AllOf(HasSubstr("cuMemFreeAsync frees 0x"), HasSubstr(" twice")));
}

TEST_F(FakeDeferredTest, OverwritesFreedMemory) {
  begin_with(1);
  const CUdeviceptr x = allocate(stream);
  EXPECT_EQ(cu.free(x, stream), CUDA_SUCCESS);
  fake.finish();
  EXPECT_EQ(static_cast<unsigned>(read(x)), 0xddddddddU);
}

TEST_F(FakeDeferredTest, ReportsEventTimesAfterCompletion) {
  std::set<CUresult> early;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    begin_with(seed);
    CUevent begin_event = nullptr;
    CUevent end_event = nullptr;
    float milliseconds = -1;
    cu.event_create(&begin_event, 0), cu.event_create(&end_event, 0);
    cu.event_record(begin_event, stream), cu.event_record(end_event, stream);
    early.insert(cu.event_elapsed(&milliseconds, begin_event, end_event));
    EXPECT_EQ(cu.event_synchronize(end_event), CUDA_SUCCESS);
    EXPECT_EQ(cu.event_elapsed(&milliseconds, begin_event, end_event), CUDA_SUCCESS);
    EXPECT_GE(milliseconds, 0);
  }
  EXPECT_EQ(early, (std::set<CUresult>{CUDA_SUCCESS, CUDA_ERROR_NOT_READY}));
}

TEST_F(FakeDeferredTest, SynchronizesLikeDriver) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    begin_with(seed);
    const CUdeviceptr x = allocate(stream);
    int host = 0;
    EXPECT_EQ(fill(x, 1, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.copy_to_host(&host, x, 4, stream), CUDA_SUCCESS);
    EXPECT_EQ(host, 1);
    EXPECT_EQ(fill(x, 2, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.library_unload(library), CUDA_SUCCESS);
    EXPECT_EQ(read(x), 2);
    EXPECT_EQ(cu.copy_to_device(x, &host, 4, stream), CUDA_SUCCESS);
    host = 5;
    EXPECT_EQ(cu.primary_release(0), CUDA_SUCCESS);
    EXPECT_EQ(read(x), 1);
  }
}

// Memory allocated without a stream is valid at once in all streams, and its free waits for all.
TEST_F(FakeDeferredTest, SupportsMemoryWithoutStream) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto* const make = reinterpret_cast<CUresult (*)(CUdeviceptr*, std::size_t)>(dlsym(driver, "cuMemAlloc_v2"));
  auto* const release = reinterpret_cast<CUresult (*)(CUdeviceptr)>(dlsym(driver, "cuMemFree_v2"));
  const auto misuses = misuses_of([&] {
    int done = 0;
    fake.on_launch([&](const KernelRun&) { ++done; });
    CUdeviceptr x = 0;
    EXPECT_EQ(make(&x, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(make(&x, std::size_t{2} << 30), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(make(&x, 256), CUDA_SUCCESS);
    EXPECT_EQ(fill(x, 1, stream), CUDA_SUCCESS);
    EXPECT_EQ(fill(x, 2, other), CUDA_SUCCESS);
    EXPECT_EQ(release(x), CUDA_SUCCESS);
    EXPECT_EQ(done, 2);
    EXPECT_EQ(release(x), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(fake.live().allocations, 0U);
  });
  EXPECT_THAT(misuses, testing::ElementsAre(""));
}

TEST_F(FakeDeferredTest, WaitsForKernelsWithUnknownParameterSizes) {
  begin_with(1);
  int launches = 0;
  CUkernel unknown = nullptr;
  fake.set_static_shared("of unknown sizes", 0);
  EXPECT_EQ(cu.library_kernel(&unknown, library, "of unknown sizes"), CUDA_SUCCESS);
  fake.on_launch([&](const KernelRun& run) { launches += *static_cast<int*>(run.args[0]); });
  for (int i = 0; i < 10; ++i) {
    void* args[] = {&i};
    const CUlaunchConfig config = config_of(1, 1, 0, stream);
    EXPECT_EQ(cu.launch(&config, reinterpret_cast<CUfunction>(unknown), args, nullptr), CUDA_SUCCESS);
  }
  EXPECT_EQ(launches, 45);
}

TEST_F(FakeDeferredTest, OrdersGraphNodesOnlyByEdges) {
  std::set<int> seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    begin_with(seed);
    CUdeviceptr x = allocate(stream);
    CUgraph graph = nullptr;
    CUgraphNode nodes[2] = {};
    CUgraphExec executable = nullptr;
    EXPECT_EQ(cu.graph_create(&graph, 0), CUDA_SUCCESS);
    for (int i = 0; i < 2; ++i) {
      const CUDA_MEMSET_NODE_PARAMS params = {x, 0, static_cast<unsigned>(i + 1), 4, 1, 1};
      EXPECT_EQ(cu.graph_add_memset(&nodes[i], graph, nullptr, 0, &params, context), CUDA_SUCCESS);
    }
    EXPECT_EQ(cu.graph_instantiate(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
    fake.finish();
    seen.insert(read(x));
    // Launches of one executable are ordered across streams.
    EXPECT_EQ(cu.executable_enable(executable, nodes[1], 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_launch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cu.executable_enable(executable, nodes[0], 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.executable_enable(executable, nodes[1], 1), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_launch(executable, other), CUDA_SUCCESS);
    fake.finish();
    EXPECT_EQ(read(x), 2);
  }
  EXPECT_EQ(seen, (std::set<int>{1, 2}));
}

TEST_F(FakeDeferredTest, IsEnabledByEnvironmentVariable) {
  ASSERT_EQ(setenv("KMUX_FAKE_CUDA_SEED", "3", 1), 0);
  std::set<std::string> misuses;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i) {
    fake.reset();
    fake.set_parameters("add", {8, 4});
    begin();
    EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    const CUdeviceptr x = allocate(nullptr);
    EXPECT_EQ(cu.free(x, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cu.memset8(allocate(nullptr), 1, 4, stream), CUDA_SUCCESS);
    fake.finish();
    misuses.insert(fake.misuse().substr(0, 6));
  }
  ASSERT_EQ(unsetenv("KMUX_FAKE_CUDA_SEED"), 0);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(misuses.size(), 1U) << "a seed, an order";
  EXPECT_EQ(text.empty(), misuses.contains("")) << text;
}

}  // namespace
}  // namespace kmux::fake_cuda
