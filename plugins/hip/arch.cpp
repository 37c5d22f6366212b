#include "arch.h"

#include <algorithm>
#include <array>

namespace kmux::hip {
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
