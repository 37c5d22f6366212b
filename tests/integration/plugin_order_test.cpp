// The order in which `auto` tries this tree's plugins, as documented in docs/auto.md.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/dlpack.h"
#include "kmux/plugin/file_io.h"
#include "kmux/registry.h"

namespace kmux {
namespace {

std::vector<Manifest> manifests_of_this_build() {
  const RegistryOptions options{.search_path = {std::string(KMUX_TEST_BUILD_DIR) + "/lib/kmux/plugins"},
                                .use_default_path = false};
  return Registry::open(options).value()->manifests();
}

/// Returns the place of the plugin's device in TileLang's order of devices; the host is last.
std::ptrdiff_t place_of(const Manifest& manifest) {
  static constexpr std::array<std::int32_t, 4> kDevices = {kDLCUDA, kDLROCM, kDLMetal, kDLCPU};
  return std::ranges::find(kDevices, manifest.device_types.front()) - kDevices.begin();
}

TEST(PluginOrderTest, FollowsDevicesNotNames) {  // C2.3
  const std::vector<Manifest> manifests = manifests_of_this_build();
  ASSERT_GE(manifests.size(), 4U);
  for (const Manifest& a : manifests) {
    for (const Manifest& b : manifests) {
      if (a.name == b.name) continue;
      EXPECT_NE(a.priority, b.priority) << a.name << " and " << b.name << " would go by name";
      if (place_of(a) < place_of(b)) {
        EXPECT_GT(a.priority, b.priority) << a.name << " and " << b.name;
      }
    }
  }
}

TEST(PluginOrderTest, MatchesDocumentation) {  // C2.3
  const std::string page = read_file(std::string(KMUX_TEST_SOURCE_DIR) + "/docs/auto.md").value();
  for (const Manifest& one : manifests_of_this_build())
    EXPECT_THAT(page, testing::HasSubstr("| `" + one.name + "` | " + std::to_string(one.priority) + " |"));
}

}  // namespace
}  // namespace kmux
