#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isolation/worker_pool.h"
#include "needs.h"
#include "plugins/plugin_backend.h"

namespace kmux {
namespace {

using testing::HasSubstr;

class WorkerTableTest : public testing::Test {
 protected:
  template <class T>
  static void expect_refused(const Result<T>& result) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInternal);
    EXPECT_THAT(result.error().message, HasSubstr("no adapters and no devices"));
  }
  std::shared_ptr<WorkerPool> pool_ = std::make_shared<WorkerPool>(WorkerPool::Settings{
      .plugin = "absent", .program = "/nowhere/kmux-worker", .manifest = "/nowhere/x.plugin.json"});
  WorkerTable table_{"absent", pool_, std::nullopt};
  PluginBackend backend_{table_.api(), table_.instance()};
};

TEST_F(WorkerTableTest, HasNoAdaptersAndNoDevices) {
  DeviceApi& devices = backend_.devices();
  expect_refused(backend_.load(Artifact{}, 0));
  expect_refused(devices.count());
  expect_refused(devices.properties(0));
  expect_refused(devices.allocate(0, nullptr, 1, 1));
  expect_refused(devices.copy(0, nullptr, nullptr, nullptr, 0, KMUX_COPY_DEVICE_TO_DEVICE));
  expect_refused(devices.memset(0, nullptr, nullptr, 0, 0));
  expect_refused(devices.memory_info(0));
  expect_refused(devices.stream_create(0));
  expect_refused(devices.stream_synchronize(0, nullptr));
  expect_refused(devices.event_create(0));
  expect_refused(devices.event_record(0, nullptr, nullptr));
  expect_refused(devices.event_elapsed(0, nullptr, nullptr));
  expect_refused(devices.l2_flush(0, nullptr));
  expect_refused(devices.stream_wait_event(0, nullptr, nullptr));
  expect_refused(devices.stream_capture(0, nullptr));
  expect_refused(devices.event_create_untimed(0));
  devices.free(0, nullptr, nullptr);
  devices.stream_destroy(0, nullptr);
  devices.event_destroy(0, nullptr);
}

TEST_F(WorkerTableTest, ReportsMissingWorker) {
  if (!tells_spawn_errors()) GTEST_SKIP() << needs_spawn_errors();
  const auto report = backend_.probe();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(report.error().message, HasSubstr("cannot start \"/nowhere/kmux-worker\""));
  EXPECT_EQ(report.error().note("backend"), "absent");
}

}  // namespace
}  // namespace kmux
