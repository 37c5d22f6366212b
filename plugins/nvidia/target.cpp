#include "nvidia/target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "kmux/plugin/support.h"

namespace kmux::nvidia {
namespace {

// The first with code for it alone, which wgmma and setmaxnreg need.
constexpr int kFirstWithSuffix = 90;

int family(int number) { return number / 10; }

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

std::string to_string(Arch arch) {
  std::string text = "sm_" + std::to_string(arch.number);
  if (arch.suffix != '\0') text += arch.suffix;
  return text;
}

std::optional<Arch> parse_arch(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  Arch arch;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), arch.number);
  if (error != std::errc() || arch.number < 10 || arch.number > 999) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.size() > 1 || (text.size() == 1 && text != "a" && text != "f")) return std::nullopt;
  if (!text.empty()) arch.suffix = text.front();
  return arch;
}

Arch arch_of_capability(int major, int minor) {
  const int number = major * 10 + minor;
  return {number, number >= kFirstWithSuffix ? 'a' : '\0'};
}

bool satisfies(Arch target, Arch wanted) {
  if (wanted.suffix == 'a') return target == wanted;
  if (target.number < wanted.number) return false;
  return wanted.suffix == '\0' || (family(target.number) == family(wanted.number) && target.suffix != '\0');
}

bool runs_on(Arch code, Arch target) {
  if (code.suffix == 'a') return code.number == target.number;
  return family(code.number) == family(target.number) && code.number <= target.number;
}

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

const std::vector<std::string>& launch_features() {
  static const auto& features = *new const std::vector<std::string>([] {
    std::vector<std::string> all(known_features().begin(), known_features().end());
    std::erase(all, "packed_values");
    return all;
  }());
  return features;
}

std::vector<MissingFeature> missing_support(const BuildRequest& request, std::string_view backend,
                                            const std::vector<std::string>& dialects) {
  const auto target = parse_arch(request.target.arch);
  const auto has_arch = [&](const std::string& wanted) {
    const auto arch = parse_arch(wanted);
    return target && arch && satisfies(*target, *arch);
  };
  auto missing = missing_of({backend, dialects, launch_features(), has_arch}, request);
  const auto lacking = missing_on_arch(request);
  missing.insert(missing.end(), lacking.begin(), lacking.end());
  return missing;
}

namespace {

struct Newest {
  std::string_view feature;
  int first;  // the architecture that brought it
};

// Source: CUDA C++ Programming Guide, "Feature Support per Compute Capability".
constexpr std::array<Newest, 6> kFirstArch = {{{"cluster", 90},
                                               {"cooperative", 60},
                                               {"l2_window", 80},
                                               {"programmatic_serialization", 90},
                                               {"tensor_map.im2col", 90},
                                               {"tensor_map.tiled", 90}}};

}  // namespace

std::vector<MissingFeature> missing_on_arch(const BuildRequest& request) {
  const auto target = parse_arch(request.target.arch);
  if (!target) {
    return {
        {"arch", path_in_variant(request, "requires/arch"), "\"" + request.target.arch + "\" is not an architecture"}};
  }
  std::vector<MissingFeature> missing;
  for (const UsedFeature& used : features_used(request.program, request.variant)) {
    const auto newest = std::ranges::find(kFirstArch, used.name, &Newest::feature);
    if (newest == kFirstArch.end() || target->number >= newest->first) continue;
    missing.push_back({used.name, used.path,
                       "architecture \"" + to_string(*target) + "\" does not have it (sm_" +
                           std::to_string(newest->first) + " and newer ones do)"});
  }
  return missing;
}

}  // namespace kmux::nvidia
