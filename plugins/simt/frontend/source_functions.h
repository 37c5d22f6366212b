#pragma once

#include <string>

namespace kmux::simt {

/// The functions of a source that a launch can name, as a JSON list (docs/design/0042-kmux-new.md).
struct SourceFunctions {
  std::string list;
  std::string problem;  // Clang's first error, for example a missing header; empty: none
};

}  // namespace kmux::simt
