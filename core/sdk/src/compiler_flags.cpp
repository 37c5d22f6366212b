#include "kmux/compiler_flags.h"

#include <algorithm>

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
  std::string message = "compiler flag " + quoted(*refused) + " is not allowed (backend ";
  message.append(refusal.backend);
  message.append("; it could write files, load code or change the steps of the compilation). Use ");
  message.append(refusal.examples).append(".");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace kmux
