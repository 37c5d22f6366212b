#include "target.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kmux::metal {
namespace {

constexpr std::array<std::string_view, 6> kHarmless = {"keys",
                                                       "max_function_args",
                                                       "max_num_threads",
                                                       "max_shared_memory_per_block",
                                                       "max_threads_per_block",
                                                       "thread_warp_size"};

const std::vector<std::string>& features() {
  static const std::vector<std::string> all = {"dynamic_smem",     "fill",     "grid", "guard", "loop", "packed_values",
                                               "several_launches", "workspace"};
  return all;
}

}  // namespace

Result<Target> resolve_metal_target(std::string_view request) {
  if (request.empty() || request == "auto") return Target{"metal"};
  KMUX_ASSIGN(const Target target, parse_target(request));
  if (target.kind != "metal") {
    return make_error(ErrorCode::kInvalidArgument, "target \"" + to_string(target) +
                                                       "\" is not one of backend metal (it knows auto and metal). Use "
                                                       "\"metal\".");
  }
  if (!target.arch.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "target \"" + to_string(target) +
                                                       "\" names an architecture (Metal compiles for the device that "
                                                       "is there). Use \"metal\".");
  }
  for (const auto& [key, value] : target.attributes) {
    if (std::ranges::find(kHarmless, key) != kHarmless.end()) continue;
    std::string message = "target attribute \"" + key;
    message.append("=").append(value).append("\" is not known to backend metal (it knows none). Remove it.");
    return make_error(ErrorCode::kInvalidArgument, std::move(message));
  }
  return Target{"metal"};
}

std::vector<MissingFeature> missing_support(const BuildRequest& request) {
  auto missing = missing_features(request.program, request.variant, features(), "metal");
  const Variant& variant = request.chosen();
  const std::string path = "/variants/" + std::to_string(request.variant);
  if (variant.dialect != "msl" && variant.dialect != "metallib") {
    missing.push_back({"dialect", path + "/dialect",
                       "backend metal takes dialects msl and metallib, not \"" + variant.dialect + "\""});
  }
  if (!variant.requirements.arch.empty()) {
    missing.push_back({"arch", path + "/requires/arch", "backend metal names no architectures"});
  }
  for (const std::string& feature : variant.requirements.features) {
    missing.push_back({feature, path + "/requires/features", "backend metal names no such feature"});
  }
  return missing;
}

}  // namespace kmux::metal
