#include "kmux/jit_named_values.h"

#include <algorithm>

namespace kmux {

Status check_named_once(const NamedValues& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    const bool again = std::any_of(values.begin(), value, [&](const NamedValue& v) { return v.name == value->name; });
    if (!again) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "name \"" + value->name + "\" is given twice (in one list of named values). Give it once.");
  }
  return Ok{};
}

std::string to_string(const JitSignature& signature) {
  std::string text;
  for (const JitParameter& parameter : signature.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.name + ": " + parameter.type + " = " + dump(parameter.default_value);
  }
  return "(" + text + ")";
}

}  // namespace kmux
