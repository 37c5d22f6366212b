#include "kmux/plugin/target_forms.h"

#include "base/quoted.h"

namespace kmux {

Error unknown_kind(const Target& target, const TargetForms& forms) {
  std::string message = "target " + in_double_quotes(to_string(target));
  message.append(" is not one of backend ").append(forms.backend).append(" (it knows ").append(forms.kinds);
  message.append("). Use ").append(forms.examples).append(".");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

Error unknown_attribute(const std::string& key, const std::string& value, const TargetForms& forms) {
  std::string message = "target attribute " + in_double_quotes(key + "=" + value);
  message.append(" is not known to backend ").append(forms.backend).append(" (it knows ").append(forms.attributes);
  message.append("). Remove it.");
  return make_error(ErrorCode::kInvalidArgument, std::move(message));
}

Error no_architecture(std::string_view request, std::string_view example, Error why) {
  if (why.code != ErrorCode::kUnavailable) return why;
  std::string& reason = why.message;
  if (reason.ends_with('.')) reason.pop_back();
  std::string message = "target " + in_double_quotes(request.empty() ? "auto" : request);
  message.append(" names no architecture, and no device says one (").append(reason);
  message.append("). Name one: --target ").append(example);
  message.append(", or target=").append(in_double_quotes(example)).append(" in code.");
  why.message = std::move(message);
  return why;
}

}  // namespace kmux
