#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/plugin.h"

#include "plugins/plugin_backend.h"

extern "C" const kmux_plugin_api* kmux_test_plugin_in_c(uint32_t host_max_version, kmux_sink reason);

namespace kmux {
namespace {

const kmux_plugin_api& table_in_c() { return *kmux_test_plugin_in_c(KMUX_PLUGIN_ABI_VERSION, {}); }

TEST(PluginAbiTest, PluginWrittenInCActsAsBackend) {
  PluginBackend backend(table_in_c(), nullptr);
  EXPECT_EQ(backend.resolve_target("c", std::nullopt).value(), Target{"c"});
  const auto refused = backend.resolve_target("d", std::nullopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message, "no target but c. Ask for that.");
  EXPECT_EQ(refused.error().note("why"), "it is a test");
}

TEST(PluginAbiTest, SlotsAreReadableFromC) {
  std::int64_t written = 0;
  kmux_slot slots[2];
  slots[0].ptr = &written;
  slots[1].i64 = -7;
  EXPECT_EQ(table_in_c().launch(nullptr, slots, nullptr, {}), KMUX_OK);
  EXPECT_EQ(written, -7);
}

}  // namespace
}  // namespace kmux
