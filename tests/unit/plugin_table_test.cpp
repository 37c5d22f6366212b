#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/plugin.hpp"

#include "fakes/broken/throwing_backend.h"
#include "plugin/program_view.h"
#include "plugins/plugin_backend.h"
#include "plugins/plugin_library.h"
#include "system/host_api.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

/// A plugin whose `create` returns the throwing backend.
struct Throwing {
  static constexpr PluginInfo kInfo{"throwing", "1", kDLExtDev};
  static Result<std::unique_ptr<Backend>> create(Host) {
    return std::unique_ptr<Backend>(std::make_unique<broken::ThrowingBackend>());
  }
};

const kmux_plugin_api& table() { return *query_plugin<Throwing>(KMUX_PLUGIN_ABI_VERSION, {}); }

/// An instance of the throwing backend, used through the table.
class PluginTableTest : public testing::Test {
 protected:
  PluginTableTest() { EXPECT_EQ(table().create(host_.get(), &instance_, ByteSink().get()), KMUX_OK); }
  ~PluginTableTest() override { table().destroy(instance_); }

  template <class Answer>
  static void expect_internal(const Answer& answer, const std::string& part) {
    ASSERT_FALSE(answer.ok()) << part;
    EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
    EXPECT_THAT(answer.error().message, HasSubstr(part));
    EXPECT_EQ(answer.error().note("backend"), "throwing");
  }

  HostApi host_{"throwing", {}};
  void* instance_ = nullptr;
};

TEST_F(PluginTableTest, ConvertsBackendExceptionsToErrors) {
  PluginBackend backend(table(), instance_);
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const BuildRequest request{program, 0, {"c"}, {}};
  expect_internal(backend.probe(), "thrown by probe");
  expect_internal(backend.supports(request), "thrown by supports");
  expect_internal(backend.wrapper().wrap(request), "thrown by wrap");
  expect_internal(backend.builder().build(request, ""), "thrown by build");
  expect_internal(backend.load({}, 0), "thrown by load");
  expect_internal(backend.standalone(request, {}), "thrown by standalone");
  expect_internal(backend.resolve_target("c", std::nullopt), "of unknown type");
}

TEST_F(PluginTableTest, ConvertsDeviceExceptionsToErrors) {
  PluginBackend backend(table(), instance_);
  DeviceApi& devices = backend.devices();
  char byte = 0;
  expect_internal(devices.count(), "thrown by count");
  expect_internal(devices.properties(0), "thrown by properties");
  expect_internal(devices.allocate(0, nullptr, 1, 1), "thrown by allocate");
  expect_internal(devices.copy(0, nullptr, &byte, &byte, 1, KMUX_COPY_DEVICE_TO_DEVICE), "thrown by copy");
  expect_internal(devices.memset(0, nullptr, &byte, 0, 1), "thrown by memset");
  expect_internal(devices.memory_info(0), "thrown by memory_info");
  expect_internal(devices.stream_create(0), "thrown by stream_create");
  expect_internal(devices.stream_synchronize(0, nullptr), "thrown by stream_synchronize");
  expect_internal(devices.event_create(0), "thrown by event_create");
  expect_internal(devices.event_record(0, nullptr, nullptr), "thrown by event_record");
  expect_internal(devices.event_elapsed(0, nullptr, nullptr), "thrown by event_elapsed");
  expect_internal(devices.l2_flush(0, nullptr), "thrown by l2_flush");
  expect_internal(devices.stream_wait_event(0, nullptr, nullptr), "thrown by stream_wait_event");
  expect_internal(devices.stream_capture(0, nullptr), "thrown by stream_capture");
  expect_internal(devices.event_create_untimed(0), "thrown by event_create_untimed");
}

TEST_F(PluginTableTest, PreservesErrorCarriedByException) {
  PluginBackend backend(table(), instance_);
  const auto identity = backend.builder().toolchain({"c"}, {});
  ASSERT_FALSE(identity.ok());
  EXPECT_EQ(identity.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(identity.error().note("path"), "/usr/bin/cc");
}

TEST_F(PluginTableTest, RejectsUndersizedStructs) {
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const ProgramView view(program);
  kmux_program_view files = *view.get();
  kmux_build_request request{sizeof request, &files, 0, bytes_view("c"), bytes_view("{}"), {}, {}, nullptr};
  const auto supports = [&] {
    ByteSink missing, error;
    const kmux_code code = table().supports(instance_, &request, missing.get(), error.get());
    return read_error(code, error.text()).message;
  };
  EXPECT_THAT(supports(), HasSubstr("thrown by supports"));
  request.struct_size = sizeof request - 1;
  EXPECT_THAT(supports(), HasSubstr("too small"));
  request.struct_size = sizeof request;
  request.variant = 1;
  EXPECT_THAT(supports(), HasSubstr("variant 1 does not exist"));
  request.variant = 0;
  files.struct_size = 8;
  EXPECT_THAT(supports(), HasSubstr("too small"));

  kmux_load_request load{sizeof load - 1, bytes_view(""), 0, 0, nullptr};
  void* adapter = nullptr;
  ByteSink refusal;
  EXPECT_EQ(table().load(instance_, &load, &adapter, refusal.get()), KMUX_INTERNAL);
  EXPECT_THAT(refusal.text(), HasSubstr("the load request of the host is too small"));

  kmux_host_api host = *host_.get();
  host.struct_size = 8;
  void* instance = nullptr;
  ByteSink error;
  EXPECT_EQ(table().create(&host, &instance, error.get()), KMUX_INTERNAL);
  EXPECT_EQ(instance, nullptr);
  EXPECT_THAT(error.text(), HasSubstr("too small"));
}

TEST_F(PluginTableTest, RejectsMalformedInput) {
  ByteSink text, error;
  EXPECT_EQ(table().toolchain(instance_, bytes_view(""), bytes_view("{}"), text.get(), error.get()),
            KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(table().toolchain(instance_, bytes_view("c"), bytes_view("["), text.get(), error.get()),
            KMUX_INVALID_ARGUMENT);
  void* adapter = nullptr;
  const kmux_load_request request{sizeof request, bytes_view("no artifact"), 0, 0, nullptr};
  EXPECT_EQ(table().load(instance_, &request, &adapter, error.get()), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(adapter, nullptr);
}

TEST(PluginQueryTest, ReturnsSameTableForEachHostVersion) {
  EXPECT_EQ(query_plugin<Throwing>(1, {}), query_plugin<Throwing>(5, {}));
  EXPECT_STREQ(table().name, "throwing");
  EXPECT_EQ(table().devices->device_type, kDLExtDev);
  EXPECT_EQ(table().struct_size, sizeof(kmux_plugin_api));
}

/// A backend without export functions.
class SilentBackend : public Backend {};
static_assert(!can_export<SilentBackend>() && can_export<broken::ThrowingBackend>());

TEST(PluginQueryTest, OmitsStandaloneForBackendWithoutExport) {
  EXPECT_NE(table().standalone, nullptr);
  EXPECT_EQ(plugin_functions(Throwing::kInfo, nullptr, nullptr, false).standalone, nullptr);
}

TEST(PluginQueryTest, RejectsHostOlderThanTable) {
  kmux_plugin_api newer = table();
  newer.abi_version = 3;
  ByteSink reason;
  EXPECT_EQ(answer_query(2, newer, reason.get()), nullptr);
  EXPECT_THAT(reason.text(), HasSubstr("newer ABI"));
  EXPECT_EQ(answer_query(3, newer, reason.get()), &newer);
}

TEST(HostTest, ReturnsPluginOptions) {
  const HostApi api("cpu", {{"cpu.engine", "host"}});
  const Host host(api.get());
  EXPECT_EQ(host.option("cpu.engine"), "host");
  EXPECT_EQ(host.option("engine"), std::nullopt);
}

// Runs in a child, because a stop cannot be undone.
TEST(HostDeathTest, ReportsStoppingAfterAnnouncedStop) {
  const HostApi api("cpu", {});
  EXPECT_FALSE(Host(api.get()).stopping());
  EXPECT_EXIT(
      {
        announce_stop();
        std::_Exit(Host(api.get()).stopping() ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

TEST(HostTest, AcceptsNullHostApi) {
  const Host none(nullptr);
  EXPECT_EQ(none.option("cpu.engine"), std::nullopt);
  none.log(Host::Level::kError, "nobody listens");
  none.trace(Host::Phase::kBegin, "nothing");
  EXPECT_FALSE(none.stopping());
}

}  // namespace
}  // namespace kmux
