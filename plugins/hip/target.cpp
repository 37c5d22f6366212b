#include "target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/target_forms.h"

#include "arch.h"

namespace kmux::hip {
namespace {

constexpr TargetForms kForms = {"hip", "auto, hip and gfxNNN", "mcpu", R"("hip" or "hip:gfx942")"};

Error unknown_arch(const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument,
                    "architecture \"" + arch +
                        "\" is not one of AMD's devices (gfx and three or four digits, as in "
                        "gfx90a). Write it as in \"hip:gfx942\".");
}

// What TVM writes into its targets, where it says nothing new about the devices that there are.
constexpr std::array<std::string_view, 6> kHarmless = {
    "keys", "max_num_threads", "max_shared_memory_per_block", "max_threads_per_block", "mtriple", "thread_warp_size"};

Status check_attributes(const Target& target) {
  for (const auto& [key, value] : target.attributes) {
    if (std::ranges::find(kHarmless, key) != kHarmless.end()) continue;
    return unknown_attribute(key, value, kForms);
  }
  return Ok{};
}

// "gfx942" alone has the place of a kind, and TVM's kind of the same devices is "rocm".
Target named(Target target) {
  if (target.arch.empty() && target.kind.starts_with("gfx")) return {"hip", target.kind, target.attributes};
  if (target.kind == "rocm") target.kind = "hip";
  return target;
}

}  // namespace

Result<Target> resolve_hip_target(std::string_view request, const DeviceArch& device_arch) {
  Target target{"hip"};
  if (!request.empty() && request != "auto") {
    KMUX_ASSIGN(target, parse_target(request));
    target = named(std::move(target));
  }
  if (target.kind != "hip") return unknown_kind(target, kForms);
  KMUX_TRY(check_attributes(target));
  if (target.arch.empty() || target.arch == "native") {
    Result<std::string> arch = device_arch();
    if (!arch) return no_architecture(request, "hip:gfx942", std::move(arch).error());
    return Target{"hip", *std::move(arch), {}};
  }
  const auto arch = parse_arch(target.arch);
  if (!arch) return unknown_arch(target.arch);
  return Target{"hip", *arch, {}};
}

}  // namespace kmux::hip
