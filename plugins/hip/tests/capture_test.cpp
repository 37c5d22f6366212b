// Launchers next to captures: recorded work stays runnable, and captures of other threads stay valid.
#include <thread>

#include "device.h"
#include "over_fake.h"

namespace kmux::hip {
namespace {

using fake_hip::CaptureMode;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

class HipCaptureTest : public OverFake {
 protected:
  HipCaptureTest() : stream(backend.devices().stream_create(0).value()) {}
  void TearDown() override {
    backend.devices().stream_destroy(0, stream);
    OverFake::TearDown();
  }
  std::unique_ptr<Adapter> ready() {
    auto adapter = loaded(one_kernel(kAddOne));
    adapter->prepare(0).value();
    return adapter;
  }
  const HipTable& hip() { return *opened_hip(host).value(); }

  void* stream;
  void* graph = nullptr;
};

TEST_F(HipCaptureTest, RejectsFirstCallDuringCapture) {
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 64);
  fake->begin_capture(stream, CaptureMode::kGlobal);
  const Error error = launch(*adapter, {slot(x.address()), slot(64)}, 0, stream).error();
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(error.message, HasSubstr("Call warm() before the capture begins"));
  adapter->prepare(0).value();
  EXPECT_EQ(fake->end_capture(stream, &graph), 0);
  fake->destroy_graph(graph);
}

TEST_F(HipCaptureTest, DroppedKernelKeepsCaptureValid) {
  for (const CaptureMode mode : {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    auto adapter = ready();
    const std::size_t modules = fake->live().modules;
    fake->begin_capture(stream, mode);
    adapter.reset();
    EXPECT_EQ(fake->end_capture(stream, &graph), 0) << static_cast<int>(mode);
    EXPECT_EQ(fake->live().modules, modules - 1);
    fake->destroy_graph(graph);
  }
  EXPECT_THAT(host.log, IsEmpty());
  int own = kCaptureModeGlobal;
  EXPECT_EQ(hip().exchange_capture_mode(&own), kHipSuccess);
  EXPECT_EQ(own, kCaptureModeGlobal) << "the mode of the thread is as before";
}

TEST_F(HipCaptureTest, OtherThreadCaptureStaysValid) {
  auto adapter = ready();
  fake->begin_capture(stream, CaptureMode::kGlobal);
  std::thread([&] { adapter.reset(); }).join();
  EXPECT_EQ(fake->end_capture(stream, &graph), 0);
  fake->destroy_graph(graph);
}

TEST_F(HipCaptureTest, RecordedCodeStaysLoaded) {
  auto adapter = ready();
  const DeviceVector x(backend, 64);
  fake->begin_capture(stream, CaptureMode::kGlobal);
  launch(*adapter, {slot(x.address()), slot(64)}, 0, stream).value();
  EXPECT_EQ(fake->end_capture(stream, &graph), 0);
  EXPECT_THAT(x.values(), Each(0.0F));
  adapter.reset();
  EXPECT_EQ(fake->launch_graph(graph), 0);
  EXPECT_EQ(fake->launch_graph(graph), 0);
  EXPECT_THAT(x.values(), Each(2.0F));
  EXPECT_THAT(host.log, HasSubstr("the code of \"sample\" stays loaded (a capture has recorded a call of it)"));
  fake->destroy_graph(graph);
  kept.modules = 1;
}

TEST_F(HipCaptureTest, UncapturedStreamAllowsUnload) {
  const std::size_t before = fake->live().modules;
  auto adapter = ready();
  const DeviceVector x(backend, 64);
  launch(*adapter, {slot(x.address()), slot(64)}, 0, stream).value();
  EXPECT_EQ(fake->live().modules, before + 1);
  adapter.reset();
  EXPECT_EQ(fake->live().modules, before);
}

TEST_F(HipCaptureTest, FailedUnloadCallsKeepCodeLoaded) {
  for (const char* symbol : {"hipThreadExchangeStreamCaptureMode", "hipMalloc", "hipFree"}) {
    auto adapter = ready();
    fake->fail(symbol, 900, 1);
    adapter.reset();
    EXPECT_THAT(host.log, HasSubstr(std::string(symbol) + " failed with 900 hipErrorOfTheFake; it stays loaded"));
    ++kept.modules;
  }
}

// Without a wait the code may still be running.
TEST_F(HipCaptureTest, OutOfMemoryKeepsCodeLoaded) {
  auto adapter = ready();
  fake->fail("hipMalloc", kOutOfMemory, 1);
  adapter.reset();
  EXPECT_THAT(host.log, HasSubstr("hipMalloc failed with 2 hipErrorOfTheFake; it stays loaded"));
  kept.modules = 1;
}

TEST_F(HipCaptureTest, LogsUnrestoredCaptureMode) {
  auto adapter = ready();
  fake->fail("hipThreadExchangeStreamCaptureMode", 1, 2);
  adapter.reset();
  EXPECT_THAT(host.log, HasSubstr("captures by this thread stay relaxed"));
  int mode = kCaptureModeGlobal;
  EXPECT_EQ(hip().exchange_capture_mode(&mode), kHipSuccess);
}

}  // namespace
}  // namespace kmux::hip
