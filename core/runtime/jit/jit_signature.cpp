#include "kmux/jit_signature.h"

namespace kmux {

std::string to_string(const JitSignature& signature) {
  std::string text;
  for (const JitParameter& parameter : signature.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.name + ": " + parameter.type + " = " + dump(parameter.default_value);
  }
  return "(" + text + ")";
}

}  // namespace kmux
