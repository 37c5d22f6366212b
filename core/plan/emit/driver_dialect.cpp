#include "kmux/plugin/driver_dialect.h"

#include "kmux/json.h"
#include "kmux/plugin/emit.h"

#include "emit_value.h"

namespace kmux {

extern const std::string_view driver_header;  // the text of kmux/plugin/driver.h

namespace {

// The functions that a printed launcher calls.
constexpr std::string_view kCalls = R"(
static inline const kmux_driver_env* kmux_env_of(const kmux_launch_env* env) { return (const kmux_driver_env*)env; }
#ifdef KMUX_LAUNCHES_ONCE  // the layer that follows has one that knows its driver
static inline int kmux_launch_kernel(const kmux_launch_env* env, const kmux_driver_launch& call, kmux_sink error);
#else
[[maybe_unused]] static inline int kmux_launch_kernel(const kmux_launch_env* env, const kmux_driver_launch& call,
                                                      kmux_sink error) {
  return kmux_env_of(env)->driver->launch(kmux_env_of(env), &call, error);
}
#endif
[[maybe_unused]] static inline int kmux_fill(const kmux_launch_env* env, unsigned int step, void* target,
                                             unsigned long long bytes, unsigned char value, kmux_sink error) {
  const kmux_driver_fill fill = {step, value, target, bytes};
  return kmux_env_of(env)->driver->fill(kmux_env_of(env), &fill, error);
}
[[maybe_unused]] static inline int kmux_encode_tiled(const kmux_launch_env* env, kmux_tensor_map& map,
                                                     const kmux_map_geometry& geometry, const unsigned int* box,
                                                     kmux_sink error) {
  return kmux_env_of(env)->driver->encode_tiled(kmux_env_of(env), &map, &geometry, box, error);
}
[[maybe_unused]] static inline int kmux_encode_im2col(const kmux_launch_env* env, kmux_tensor_map& map,
                                                      const kmux_map_geometry& geometry, const int* lower_corner,
                                                      const int* upper_corner, unsigned int channels_per_pixel,
                                                      unsigned int pixels_per_column, kmux_sink error) {
  return kmux_env_of(env)->driver->encode_im2col(kmux_env_of(env), &map, &geometry, lower_corner, upper_corner,
                                                 channels_per_pixel, pixels_per_column, error);
}
[[maybe_unused]] static inline void kmux_set(unsigned int (&extents)[3], long long x, long long y, long long z) {
  extents[0] = (unsigned int)x;
  extents[1] = (unsigned int)y;
  extents[2] = (unsigned int)z;
}
)";

void emit_args_array(CodeWriter& out, const std::vector<PrintedArg>& args) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < args.size(); ++i) {
    // A map or structure already is a variable; every other argument needs one.
    const std::string place = args[i].is_place ? args[i].value : "kmux_arg_" + std::to_string(i);
    if (!args[i].is_place) out.line(args[i].type + " " + place + " = " + args[i].value + ";");
    places.push_back("&" + place);
  }
  if (!places.empty()) out.line("void* kmux_args[] = " + braced(places) + ";");
}

void emit_windows(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  const std::string of = " of L2 window of \"" + plan.kernels[launch.kernel] + "\"";
  std::vector<std::string> items;
  for (const PlanWindow& window : launch.l2_windows) {
    const std::string number = std::to_string(items.size());
    const std::string base = emit_address(out, plan, window.base, "kmux_window_offset_" + number, "base" + of);
    const std::string bytes = emit_size(out, window.bytes, "kmux_window_bytes_" + number, "size" + of);
    items.push_back(braced({base, unsigned_text(window.bytes, bytes), dump(Json(window.hit_ratio))}));
  }
  if (!items.empty()) emit_array(out, "kmux_driver_window", "kmux_windows", std::move(items));
}

void emit_extents(CodeWriter& out, std::string_view name, const std::array<std::string, 3>& extents) {
  out.line("kmux_set(kmux_call." + std::string(name) + ", " + extents[0] + ", " + extents[1] + ", " + extents[2] +
           ");");
}

std::string flags_text(const PlanLaunch& launch) {
  std::string flags;
  if (launch.cooperative) flags = "kmux_cooperative";
  if (launch.programmatic_serialization)
    flags.append(flags.empty() ? "" : " | ").append("kmux_programmatic_serialization");
  return flags;
}

void emit_launch_call(CodeWriter& out, const Plan& plan, const PlanLaunch& launch, const std::vector<PrintedArg>& args,
                      const PrintedGeometry& geometry) {
  emit_args_array(out, args);
  emit_windows(out, plan, launch);
  out.line("kmux_driver_launch kmux_call = {};");
  out.line("kmux_call.kernel = " + std::to_string(launch.kernel) + ";");
  out.line("kmux_call.step = " + std::to_string(launch.step) + ";");
  emit_extents(out, "grid", geometry.grid);
  emit_extents(out, "block", geometry.block);
  if (geometry.cluster) emit_extents(out, "cluster", *geometry.cluster);
  if (geometry.dynamic_smem_bytes != "0") {
    out.line("kmux_call.dynamic_smem_bytes = " + unsigned_text(launch.dynamic_smem_bytes, geometry.dynamic_smem_bytes) +
             ";");
  }
  if (const std::string flags = flags_text(launch); !flags.empty()) out.line("kmux_call.flags = " + flags + ";");
  if (!args.empty()) out.line("kmux_call.args = kmux_args;");
  if (!launch.l2_windows.empty()) {
    out.line("kmux_call.windows = kmux_windows;");
    out.line("kmux_call.window_count = " + std::to_string(launch.l2_windows.size()) + ";");
  }
  emit_call(out, "kmux_launch_kernel", "kmux_call");
}

}  // namespace

void DriverDialect::declarations(CodeWriter& out, const Plan& plan) {
  out.lines(shared_text("the calls of the driver, kmux/plugin/driver.h", std::string(driver_header).append(kCalls)));
  emit_struct_types(out, plan);
}

void DriverDialect::tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) {
  emit_tensor_map(out, plan, index);
}

void DriverDialect::launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  emit_on_grid(out, plan, launch, [&](const PrintedGeometry& geometry) {
    emit_launch_call(out, plan, launch, arguments(out, plan, launch), geometry);
  });
}

std::vector<PrintedArg> DriverDialect::arguments(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  return emit_args(out, plan, launch);
}

void DriverDialect::fill(CodeWriter& out, const Plan& plan, const PlanFill& fill) {
  out.open("{  // fill");
  const std::string target = emit_address(out, plan, fill.target, "kmux_offset", "target of fill");
  const std::string bytes = emit_size(out, fill.bytes, "kmux_bytes", "size of fill");
  emit_call(out, "kmux_fill",
            std::to_string(fill.step) + ", " + target + ", " + unsigned_text(fill.bytes, bytes) + ", " +
                std::to_string(fill.value));
  out.close();
}

}  // namespace kmux
