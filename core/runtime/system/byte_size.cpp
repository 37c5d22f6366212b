#include "byte_size.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace kmux {
namespace {

/// Bits by which a unit shifts: "" is bytes, "K" 1024 of them.
std::optional<int> shift_of(std::string_view unit) {
  constexpr std::string_view kUnits = "KMGT";
  if (unit.empty()) return 0;
  const std::size_t index = kUnits.find(unit);
  return unit.size() == 1 && index != std::string_view::npos ? std::optional<int>(10 * (static_cast<int>(index) + 1))
                                                             : std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::optional<int> shift = shift_of({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (problem == std::errc() && shift && number <= std::numeric_limits<std::uint64_t>::max() >> *shift) {
    return number << *shift;
  }
  return make_error(ErrorCode::kInvalidArgument, name + " cannot be \"" + text +
                                                     "\" (it is a number of bytes, with K, M, G or T for 1024 of the "
                                                     "one before). Use one like 4G.");
}

}  // namespace kmux
