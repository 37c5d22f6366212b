#include <functional>

#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

// A stream that is being captured, and what may spoil that.
class FakeCapture : public OpenedFake {
 protected:
  FakeCapture() {
    EXPECT_EQ(cu.stream_create(&stream, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(cu.event_create(&event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.device_pool(&pool, 0), CUDA_SUCCESS);
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  }
  std::vector<std::function<CUresult()>> waits() {
    return {[&] { return cu.stream_synchronize(nullptr); }, [&] { return cu.event_synchronize(event); },
            [&] { return cu.limit_set(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1024); },
            [&] { return cu.pool_attribute_set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold); },
            [&] { return cu.library_unload(library); }};
  }
  CUstreamCaptureStatus status() {
    CUstreamCaptureStatus told{};
    EXPECT_EQ(cu.stream_capturing(stream, &told), CUDA_SUCCESS);
    return told;
  }
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUmemoryPool pool = nullptr;
  std::uint64_t threshold = 0;
};

TEST_F(FakeCapture, IsSpoiledByWhatMayWait) {
  for (const auto& wait : waits()) {
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_EQ(wait(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  }
  EXPECT_EQ(fake.live().libraries, 1U);
}

TEST_F(FakeCapture, IsSparedByARelaxedThread) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(cu.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  for (const auto& wait : waits()) EXPECT_EQ(wait(), CUDA_SUCCESS);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cu.stream_synchronize(nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_F(FakeCapture, IsNotForTheLegacyStreamToAskAbout) {
  CUstreamCaptureStatus told{};
  EXPECT_EQ(cu.stream_capturing(nullptr, &told), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  fake.set_recording(false);
  EXPECT_EQ(cu.stream_capturing(nullptr, &told), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

}  // namespace
}  // namespace kmux::fake_cuda
