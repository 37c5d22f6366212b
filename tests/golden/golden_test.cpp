// The expected plans and launchers of the golden programs. KMUX_UPDATE_GOLDENS=1 rewrites them.
#include <gtest/gtest.h>

#include "kmux/plugin/driver_dialect.h"

#include "compiled.h"
#include "expected.h"
#include "programs.h"

namespace kmux {
namespace {

using test::expect_golden;
using test::function_of;

std::string launcher_of(const Plan& plan) {
  DriverDialect dialect;
  return emit_launcher(plan, dialect, "kmux_launch");
}

TEST(GoldenTest, PlansMatchGoldens) {
  for (const Program& program : test::golden_programs()) {
    expect_golden(program.name + ".plan.txt", to_string(lower(program, 0).value()));
  }
}

TEST(GoldenTest, LaunchersMatchGoldens) {
  for (const Program& program : test::golden_programs()) {
    expect_golden(program.name + ".launcher.txt", function_of(launcher_of(lower(program, 0).value())));
  }
}

TEST(GoldenTest, WholeLauncherMatchesGolden) {
  const Program program = test::golden_programs().front();
  expect_golden("whole.txt", launcher_of(lower(program, 0).value()));
}

TEST(GoldenTest, PreludeMatchesGolden) { expect_golden("prelude.txt", launcher_prelude()); }

TEST(GoldenTest, LaunchersCompileWithoutWarnings) {
  for (const Program& program : test::golden_programs()) {
    const Status status = test::check_syntax(launcher_of(lower(program, 0).value()));
    EXPECT_TRUE(status) << status.error().message;
  }
}

TEST(GoldenTest, LaunchersCompileAfterPluginHeader) {
  const std::string header = test::read(KMUX_TEST_SOURCE_DIR "/core/base/include/kmux/plugin/plugin.h");
  const Program program = test::golden_programs().front();
  const Status status = test::check_syntax(header + launcher_of(lower(program, 0).value()));
  EXPECT_TRUE(status) << status.error().message;
}

// static_asserts that the launcher's structs have the layout of those in the headers.
#define KMUX_LAYOUT(type, field) \
  "static_assert(__builtin_offsetof(" #type ", " #field ") == " + std::to_string(offsetof(type, field)) + ", \"\");\n"
#define KMUX_SIZE(type) "static_assert(sizeof(" #type ") == " + std::to_string(sizeof(type)) + ", \"\");\n"

TEST(GoldenTest, StructLayoutsMatchHeaders) {
  const Program program = test::golden_programs().front();
  const std::string checks =
      KMUX_SIZE(kmux_slot) + KMUX_SIZE(kmux_sink) + KMUX_LAYOUT(kmux_sink, write) + KMUX_SIZE(kmux_allocator) +
      KMUX_LAYOUT(kmux_allocator, self) + KMUX_LAYOUT(kmux_allocator, allocate) + KMUX_LAYOUT(kmux_allocator, free) +
      KMUX_SIZE(kmux_launch_env) + KMUX_LAYOUT(kmux_launch_env, device) + KMUX_LAYOUT(kmux_launch_env, stream) +
      KMUX_LAYOUT(kmux_launch_env, allocator) + KMUX_LAYOUT(kmux_launch_env, lane) + KMUX_SIZE(kmux_tensor_map) +
      KMUX_SIZE(kmux_map_geometry) + KMUX_LAYOUT(kmux_map_geometry, base) + KMUX_LAYOUT(kmux_map_geometry, rank) +
      KMUX_LAYOUT(kmux_map_geometry, dims) + KMUX_LAYOUT(kmux_map_geometry, strides_bytes) +
      KMUX_LAYOUT(kmux_map_geometry, element_strides) + KMUX_LAYOUT(kmux_map_geometry, oob_fill) +
      KMUX_SIZE(kmux_driver_window) + KMUX_LAYOUT(kmux_driver_window, hit_ratio) + KMUX_SIZE(kmux_driver_launch) +
      KMUX_LAYOUT(kmux_driver_launch, cluster) + KMUX_LAYOUT(kmux_driver_launch, dynamic_smem_bytes) +
      KMUX_LAYOUT(kmux_driver_launch, window_count) + KMUX_LAYOUT(kmux_driver_launch, args) +
      KMUX_LAYOUT(kmux_driver_launch, windows) + KMUX_SIZE(kmux_driver) + KMUX_LAYOUT(kmux_driver, encode_im2col) +
      KMUX_SIZE(kmux_driver_env) + KMUX_LAYOUT(kmux_driver_env, driver) +
      "static_assert(alignof(kmux_tensor_map) == 64, \"\");\n" +
      "static_assert(KMUX_INTERNAL == " + std::to_string(static_cast<int>(ErrorCode::kInternal)) + ", \"\");\n";
  const Status status = test::check_syntax(launcher_of(lower(program, 0).value()) + checks);
  EXPECT_TRUE(status) << status.error().message;
}

}  // namespace
}  // namespace kmux
