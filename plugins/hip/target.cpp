#include "target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kmux/plugin/support.h"

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

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

}  // namespace

std::optional<std::string> parse_arch(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  if (!name.starts_with("gfx")) return std::nullopt;
  const std::string_view number = name.substr(3);
  if (number.size() < 3 || number.size() > 4) return std::nullopt;
  const std::string_view major = number.substr(0, number.size() - 2);
  const bool is_number = std::ranges::all_of(major, is_digit) && std::ranges::all_of(number, is_hex);
  if (!is_number) return std::nullopt;
  return std::string(name);
}

bool is_known_to_rocm5(std::string_view arch) {
  constexpr std::array<std::string_view, 3> kLater = {"gfx941", "gfx942", "gfx950"};
  if (std::ranges::find(kLater, arch) != kLater.end()) return false;
  return arch.size() == 6 || arch.starts_with("gfx10");
}

int wavefront_size(std::string_view arch) { return arch.size() == 6 ? 64 : 32; }

}  // namespace kmux::hip
