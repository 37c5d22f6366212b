#include "target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/support.h"

namespace kmux::metal {
namespace {

constexpr TargetForms kForms = {"metal", "auto and metal", "none", R"("metal")"};

constexpr std::array<std::string_view, 6> kHarmless = {"keys",
                                                       "max_function_args",
                                                       "max_num_threads",
                                                       "max_shared_memory_per_block",
                                                       "max_threads_per_block",
                                                       "thread_warp_size"};

const std::vector<std::string>& features() {
  static const auto& all = *new const std::vector<std::string>{
      "dynamic_smem", "fill", "grid", "guard", "loop", "packed_values", "several_launches", "workspace"};
  return all;
}

}  // namespace

Result<Target> resolve_metal_target(std::string_view request) {
  if (request.empty() || request == "auto") return Target{"metal"};
  KMUX_ASSIGN(const Target target, parse_target(request));
  if (target.kind != "metal") return unknown_kind(target, kForms);
  if (!target.arch.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "target \"" + to_string(target) +
                                                       "\" names an architecture (Metal compiles for the device that "
                                                       "is there). Use \"metal\".");
  }
  for (const auto& [key, value] : target.attributes) {
    if (std::ranges::find(kHarmless, key) != kHarmless.end()) continue;
    return unknown_attribute(key, value, kForms);
  }
  return Target{"metal"};
}

std::vector<MissingFeature> missing_support(const BuildRequest& request) {
  return missing_of({"metal", {"msl", "metallib"}, features()}, request);
}

}  // namespace kmux::metal
