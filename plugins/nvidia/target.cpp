#include "nvidia/target.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kmux::nvidia {
namespace {

Error unknown_kind(const Target& target, std::string_view backend) {
  return make_error(ErrorCode::kInvalidArgument,
                    "target \"" + to_string(target) + "\" is not one of backend " + std::string(backend) +
                        R"( (it knows auto, cuda and sm_NN). Use "cuda" or "cuda:sm_90a".)");
}

Error unknown_arch(const std::string& arch) {
  return make_error(ErrorCode::kInvalidArgument, "architecture \"" + arch +
                                                     "\" is not one of NVIDIA's devices (sm_ and a number, perhaps "
                                                     "with a or f). Write it as in \"cuda:sm_90a\".");
}

Error unknown_attribute(const std::string& key, const std::string& value, std::string_view backend) {
  std::string message = "target attribute \"" + key;
  message.append("=").append(value).append("\" is not known to backend ").append(backend);
  message.append(" (it knows arch). Remove it.");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
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
    if (std::ranges::find(kHarmless, attribute) == kHarmless.end()) return unknown_attribute(key, value, backend);
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
  if (target.kind != "cuda") return unknown_kind(target, backend);
  KMUX_TRY(check_attributes(target, backend));
  if (target.arch.empty() || target.arch == "native") {
    KMUX_ASSIGN(const Arch arch, device_arch());
    return Target{"cuda", to_string(arch), {}};
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
