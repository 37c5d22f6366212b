#include "nvidia/target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/support.h"

namespace kmux::nvidia {
namespace {

TargetForms forms_of(std::string_view backend) {
  return {backend, "auto, cuda and sm_NN", "arch", R"("cuda" or "cuda:sm_90a")"};
}

Error unknown_arch(const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument, "architecture \"" + arch +
                                                     "\" is not one of NVIDIA's devices (sm_ and a number, perhaps "
                                                     "with a or f). Write it as in \"cuda:sm_90a\".");
}

// What TVM writes into its targets, where it says nothing new about the devices that there are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHarmless = {{{"keys", "cuda,gpu"},
                                                                                     {"keys", "cuda"},
                                                                                     {"keys", "gpu"},
                                                                                     {"max_num_threads", "1024"},
                                                                                     {"max_threads_per_block", "1024"},
                                                                                     {"thread_warp_size", "32"}}};

Status check_attributes(const Target& target, std::string_view backend) {
  for (const auto& [key, value] : target.attributes) {
    const std::pair<std::string_view, std::string_view> attribute(key, value);
    if (std::ranges::find(kHarmless, attribute) == kHarmless.end())
      return unknown_attribute(key, value, forms_of(backend));
  }
  return Ok{};
}

// "sm_90a" alone has the place of a kind.
Target named(Target target) {
  if (target.arch.empty() && target.kind.starts_with("sm_")) return {"cuda", target.kind, target.attributes};
  return target;
}

}  // namespace

Result<Target> resolve_cuda_target(std::string_view request, std::string_view backend, const DeviceArch& device_arch) {
  Target target{"cuda"};
  if (!request.empty() && request != "auto") {
    KMUX_ASSIGN(target, parse_target(request));
    target = named(std::move(target));
  }
  if (target.kind != "cuda") return unknown_kind(target, forms_of(backend));
  KMUX_TRY(check_attributes(target, backend));
  if (target.arch.empty() || target.arch == "native") {
    Result<Arch> arch = device_arch();
    if (!arch) return no_architecture(request, "cuda:sm_90a", std::move(arch).error());
    return Target{"cuda", to_string(*arch), {}};
  }
  KMUX_ASSIGN(Arch arch, arch_of(target));
  if (arch.suffix == '\0') arch = arch_of_capability(arch.number / 10, arch.number % 10);
  return Target{"cuda", to_string(arch), {}};
}

Result<Arch> arch_of(const Target& target) {
  const auto arch = parse_arch(target.arch);
  if (!arch) return unknown_arch(target.arch);
  return *arch;
}

}  // namespace kmux::nvidia
