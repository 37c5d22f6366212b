#include <functional>

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

// A stream that is being captured, and the calls that may invalidate its capture.
class FakeCaptureTest : public OpenedFake {
 protected:
  FakeCaptureTest() {
    EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cu.event_create(&event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_create(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cu.allocate(&memory, 256, pool, other), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_create(&graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_instantiate(&executable, graph, 0), CUDA_SUCCESS);
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  }
  std::vector<std::function<CUresult()>> waits() {
    return {[&] { return cu.stream_synchronize(nullptr); },
            [&] { return cu.event_synchronize(event); },
            [&] { return cu.limit_set(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1024); },
            [&] { return cu.pool_attribute_set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold); },
            [&] { return cu.free(memory, other); },
            [&] { return cu.allocate(&memory, 256, pool, other); },
            [&] { return cu.executable_destroy(executable); },
            [&] { return cu.graph_instantiate(&executable, graph, 0); },
            [&] { return cu.library_unload(library); }};
  }
  CUstreamCaptureStatus status() {
    CUstreamCaptureStatus told{};
    EXPECT_EQ(cu.stream_capturing(stream, &told), CUDA_SUCCESS);
    return told;
  }
  CUstream stream = nullptr;
  CUstream other = nullptr;
  CUdeviceptr memory = 0;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUevent event = nullptr;
  CUmemoryPool pool = nullptr;
  std::uint64_t threshold = 0;
};

TEST_F(FakeCaptureTest, IsInvalidatedByWaitingCalls) {
  for (const auto& wait : waits()) {
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_EQ(wait(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  }
  EXPECT_EQ(fake.live().libraries, 1U);
  EXPECT_EQ(fake.live().allocations, 1U);
  EXPECT_EQ(fake.live().executables, 1U);
}

TEST_F(FakeCaptureTest, QueryNeedsNoCurrentContext) {
  CUstreamCaptureStatus told{};
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cu.current_set(nullptr), CUDA_SUCCESS);
  for (const bool on : {true, false}) {
    fake.set_recording(on);
    EXPECT_EQ(cu.stream_capturing(stream, &told), CUDA_SUCCESS);
    EXPECT_EQ(cu.stream_capturing(nullptr, &told), CUDA_ERROR_INVALID_CONTEXT);  // its legacy stream is unknown
    EXPECT_EQ(told, CU_STREAM_CAPTURE_STATUS_NONE);
  }
}

TEST_F(FakeCaptureTest, IsUnaffectedByRelaxedThread) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(cu.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  for (const auto& wait : waits()) EXPECT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cu.stream_synchronize(nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_F(FakeCaptureTest, LegacyStreamQueryFailsDuringBlockingCapture) {
  CUstreamCaptureStatus told{};
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_DEFAULT), CUDA_SUCCESS);  // the legacy stream waits for it
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.stream_capturing(nullptr, &told), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  fake.set_recording(false);
  EXPECT_EQ(cu.stream_capturing(nullptr, &told), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

}  // namespace
}  // namespace kmux::fake_cuda
