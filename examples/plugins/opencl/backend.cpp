#include "backend.h"

#include <charconv>
#include <span>
#include <utility>

#include "kmux/plugin/support.h"

#include "adapter.h"

namespace kmux::opencl {
namespace {

constexpr TargetForms kForms = {"opencl", "auto, opencl, opencl:NAME and opencl:ORDINAL", "none",
                                R"("opencl" or "opencl:0")"};

std::vector<std::string> texts(std::span<const std::string_view> words) { return {words.begin(), words.end()}; }

std::optional<int> ordinal_in(std::string_view arch) {
  int ordinal = 0;
  const auto [rest, error] = std::from_chars(arch.data(), arch.data() + arch.size(), ordinal);
  if (error != std::errc() || rest != arch.data() + arch.size()) return std::nullopt;
  return ordinal;
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenClBackend::create(Host host) {
  return std::unique_ptr<Backend>(std::make_unique<OpenClBackend>(host));
}

// A machine without devices is not kept: a driver may appear.
Result<std::shared_ptr<Machine>> OpenClBackend::machine() {
  const std::lock_guard lock(mutex_);
  if (machine_ != nullptr) return machine_;
  KMUX_ASSIGN(auto opened, Machine::open(host_));
  if (!opened->devices().empty()) machine_ = opened;
  return opened;
}

// [probe.begin]
Result<ProbeReport> OpenClBackend::probe() {
  const auto opened = machine();
  ProbeReport report;
  if (!opened) {
    if (opened.error().code != ErrorCode::kUnavailable) return opened.error();
    report.can_build = report.can_run = {"no_driver", opened.error().message};
  } else if ((*opened)->devices().empty()) {
    report.can_build = report.can_run = {"no_device", (*opened)->no_device().message};
  } else if (const DeviceInfo& first = (*opened)->devices().front(); !first.has_compiler) {
    report.can_build = {"no_toolchain",
                        "the driver of device 0 (" + first.name + ") has no compiler. Install a newer driver."};
  }
  return report;
}
// [probe.end]

Result<Target> OpenClBackend::resolve_target(std::string_view request, std::optional<int> device) {
  Target target{"opencl"};
  if (!request.empty() && request != "auto") {
    KMUX_ASSIGN(target, parse_target(request));
    if (target.kind != "opencl") return unknown_kind(target, kForms);
    for (const auto& [key, value] : target.attributes) return unknown_attribute(key, value, kForms);
  }
  KMUX_ASSIGN(const auto opened, machine());
  if (opened->devices().empty()) return opened->no_device();
  int ordinal = device.value_or(0);
  if (const auto named = ordinal_in(target.arch)) {
    ordinal = *named;
  } else if (!target.arch.empty()) {
    KMUX_TRY(opened->ordinal_of(target.arch));
    return target;
  }
  KMUX_ASSIGN(const DeviceInfo* const info, opened->info(ordinal));
  return Target{"opencl", info->arch};
}

// [supports.begin]
// `requires.features` of a variant are extensions of the device, "cl_khr_fp64" for example.
Result<std::vector<MissingFeature>> OpenClBackend::supports(const BuildRequest& request) {
  const auto has_arch = [&](const std::string& arch) { return arch == request.target.arch; };
  const auto has_feature = [&](const std::string& feature) {
    const auto opened = machine();
    if (!opened) return false;
    const auto ordinal = (*opened)->ordinal_of(request.target.arch);
    return ordinal.ok() && (*opened)->info(*ordinal).value()->has_extension(feature);
  };
  return missing_of({manifest::kName, texts(manifest::kDialects), texts(manifest::kFeatures), has_arch, has_feature},
                    request);
}
// [supports.end]

Result<std::unique_ptr<Adapter>> OpenClBackend::load(const Artifact& artifact, int device) {
  KMUX_ASSIGN(auto opened, machine());
  return load_artifact(artifact, std::move(opened), device);
}

}  // namespace kmux::opencl
