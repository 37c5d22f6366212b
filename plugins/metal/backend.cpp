#include "backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/support.h"

#include "adapter.h"

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

const PluginInfo MetalBackend::kInfo{"metal", KMUX_PLUGIN_VERSION, kDLMetal};

Result<std::unique_ptr<Backend>> MetalBackend::create(Host host) {
  return std::unique_ptr<Backend>(std::make_unique<MetalBackend>(host));
}

// Does not cache a failure: a device may appear later.
Result<std::shared_ptr<Gpu>> MetalBackend::gpu() {
  const std::lock_guard lock(mutex_);
  if (gpu_ != nullptr) return gpu_;
  KMUX_ASSIGN(gpu_, Gpu::open(host_.option("metal.library").value_or("")));
  return gpu_;
}

// Always reports that it can build: MSL and plans require no device. Opening the device creates no context.
Result<ProbeReport> MetalBackend::probe() {
  ProbeReport report;
  const auto opened = gpu();
  if (opened) return report;
  const bool can_have = is_macos() || host_.option("metal.library").has_value();
  report.can_run = {can_have ? "no_device" : "wrong_os", opened.error().message};
  return report;
}

Result<Target> MetalBackend::resolve_target(std::string_view request, std::optional<int> device) {
  if (device) KMUX_TRY(check_device(*device));
  return resolve_metal_target(request);
}

Result<std::vector<MissingFeature>> MetalBackend::supports(const BuildRequest& request) {
  return missing_support(request);
}

Result<std::unique_ptr<Adapter>> MetalBackend::load(const Artifact& artifact, int device) {
  KMUX_TRY(check_device(device));
  KMUX_ASSIGN(auto opened, gpu());
  return load_artifact(artifact, std::move(opened));
}

// A library for macOS cannot be linked where kmux builds.
Result<Artifact> MetalBackend::standalone(const BuildRequest&, const Artifact&) {
  return cannot_export("backend \"metal\"");
}

}  // namespace kmux::metal

KMUX_PLUGIN(kmux::metal::MetalBackend)
