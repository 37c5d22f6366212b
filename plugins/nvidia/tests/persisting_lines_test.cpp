#include "nvidia/launch/persisting_lines.h"

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class PersistingLinesTest : public OpenedLauncherTest {
 protected:
  // Returns a launcher in addition to the fixture's.
  std::unique_ptr<Launcher> open_other(unsigned long long window_bytes) {
    PlanFacts other = facts;
    other.window_bytes = window_bytes;
    auto opened = std::make_unique<Launcher>("code", other, log());
    EXPECT_EQ(opened->prepare(0, sink()), KMUX_OK) << error;
    return opened;
  }
  // The application's own reference to the context, which would otherwise be destroyed with the last launcher.
  PersistingLinesTest() {
    CUcontext context = nullptr;
    EXPECT_EQ(open_driver(sink())->primary_retain(&context, 0), CUDA_SUCCESS);
  }
  ~PersistingLinesTest() override { EXPECT_EQ(open_driver(sink())->primary_release(0), CUDA_SUCCESS); }

  std::vector<std::string> set() { return fake.calls("cuCtxSetLimit"); }
  std::vector<std::string> reset() { return fake.calls("cuCtxResetPersistingL2Cache"); }
  void set_limit(std::size_t bytes) {
    make_current(0);
    EXPECT_EQ(open_driver(sink())->limit_set(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes), CUDA_SUCCESS);
  }
};

TEST_F(PersistingLinesTest, AreReleasedWithLastLauncher) {
  facts.window_bytes = 2 << 20;
  warm();
  auto smaller = open_other(1 << 20);
  close();
  EXPECT_THAT(set(), IsEmpty());
  EXPECT_THAT(reset(), IsEmpty());
  smaller.reset();
  EXPECT_THAT(set(), ElementsAre("cuCtxSetLimit limit 6 value 0"));
  EXPECT_THAT(reset(), ElementsAre("cuCtxResetPersistingL2Cache"));
  EXPECT_THAT(logs, IsEmpty());
}

TEST_F(PersistingLinesTest, AreReleasedWhenRaisedByLaterLauncher) {
  facts.window_bytes = 1 << 20;
  warm();
  auto larger = open_other(2 << 20);
  close();
  fake.clear_calls();
  larger.reset();
  EXPECT_THAT(set(), ElementsAre("cuCtxSetLimit limit 6 value 0"));
}

TEST_F(PersistingLinesTest, AreRestoredToPreviousLimit) {
  facts.window_bytes = 1 << 20;
  set_limit(4096);
  warm();
  close();
  EXPECT_THAT(set(), ElementsAre("cuCtxSetLimit limit 6 value 4096"));
}

TEST_F(PersistingLinesTest, AreKeptWhenLimitWasChangedExternally) {
  facts.window_bytes = 1 << 20;
  warm();
  set_limit(3 << 20);
  fake.clear_calls();
  close();
  EXPECT_THAT(set(), IsEmpty());
  EXPECT_THAT(reset(), IsEmpty());
  EXPECT_THAT(fake.calls("cuCtxGetLimit"), ElementsAre("cuCtxGetLimit limit 6 -> 3145728"));
}

TEST_F(PersistingLinesTest, AreReleasedWhenPreparationFails) {
  facts.window_bytes = 1 << 20;
  fake.fail("cuKernelGetFunction", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(launcher().prepare(0, sink()), KMUX_OK);
  EXPECT_THAT(set(), ElementsAre("cuCtxSetLimit limit 6 value 1048576", "cuCtxSetLimit limit 6 value 0"));
}

TEST_F(PersistingLinesTest, AreReleasedDuringCaptureWithoutCurrentContext) {
  facts.window_bytes = 1 << 20;
  warm();
  const DriverTable* driver = open_driver(sink());
  CUstream stream = nullptr;
  make_current(0);
  ASSERT_EQ(driver->stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(driver->current_set(nullptr), CUDA_SUCCESS);
  close();
  EXPECT_THAT(set(), ElementsAre("cuCtxSetLimit limit 6 value 0"));
  EXPECT_THAT(logs, IsEmpty());
  CUcontext current = nullptr;
  EXPECT_EQ(driver->current_get(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr) << "what was current before";
}

}  // namespace
}  // namespace kmux::nvidia
