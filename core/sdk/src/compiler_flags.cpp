#include "kmux/compiler_flags.h"

#include <algorithm>
#include <array>

#include "kmux/source_unit.h"

#include "quoted.h"

namespace kmux {

bool FlagList::contains(std::string_view flag) const {
  const auto goes_on = [&](std::string_view prefix) { return flag.starts_with(prefix) && flag.size() > prefix.size(); };
  return std::ranges::find(whole, flag) != whole.end() || std::ranges::any_of(with_value, goes_on);
}

bool begins_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

Status check_flags(const std::vector<std::string>& flags, const std::function<bool(std::string_view flag)>& is_allowed,
                   const FlagRefusal& refusal) {
  const auto refused = std::ranges::find_if_not(flags, is_allowed);
  if (refused == flags.end()) return Ok{};
  std::string message = "compiler flag " + in_double_quotes(*refused) + " is not allowed (backend ";
  message.append(refusal.backend);
  message.append("; it could write files, load code or change the steps of the compilation). Use ");
  message.append(refusal.examples).append(".");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

void add_standard(std::vector<std::string>& arguments, const Settings& settings,
                  const std::vector<std::string>& flags) {
  constexpr std::array<std::string_view, 2> kNames = {"-std=", "--std="};
  const auto names_one = [&](std::string_view flag) { return begins_with_any(flag, kNames); };
  if (std::ranges::none_of(flags, names_one)) arguments.push_back("-std=" + standard_of(settings));
}

}  // namespace kmux
