#pragma once

#include <string>
#include <string_view>

#include "kmux/error.h"
#include "kmux/name_map.h"

namespace kmux {

/// A compilation target: `kind[:arch][,key=value]...`, for example "cuda:sm_90a" or "cpu:znver4,features=+avx512f".
struct Target {
  std::string kind;  // "cpu", "cuda", ...
  std::string arch = {};  // "sm_90a"; empty: not specified
  NameMap<std::string> attributes = {};  // {"features", "+avx512f"}
  bool operator==(const Target&) const = default;
};

/// Options of a compilation, by name, as text.
using Options = NameMap<std::string>;

/// Returns the canonical text: lower-case kind, attributes sorted by key. Cache keys hold this form only.
std::string to_string(const Target& target);

/// Reads the canonical form, TileLang's strings ("cuda -arch=sm_90a", "llvm -mcpu=skylake", "c") and its JSON
/// ({"kind":"cuda","arch":"sm_90a"}). Any well-formed kind is accepted, in lower case: plugins list the kinds they
/// support.
///
/// Errors: invalid_argument that shows the text and the accepted forms.
Result<Target> parse_target(std::string_view text);

}  // namespace kmux
