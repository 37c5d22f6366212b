#include "nvidia/arch.h"

#include <charconv>

namespace kmux::nvidia {
namespace {

// The first with code for it alone, which wgmma and setmaxnreg need.
constexpr int kFirstWithSuffix = 90;

int family(int number) { return number / 10; }

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

}  // namespace kmux::nvidia
