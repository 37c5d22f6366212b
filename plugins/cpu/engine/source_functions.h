#pragma once

#include <string>

namespace kmux::cpu {

/// The functions of a source that a launch can name, as a JSON list (docs/design/0042-kmux-new.md).
struct SourceFunctions {
  std::string list;
  std::string problem;  // the first that Clang could not read, for example a header that is missing; empty: none
};

}  // namespace kmux::cpu
