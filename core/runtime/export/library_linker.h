#pragma once

#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"

namespace kmux {

/// What a library is linked from: a backend's parts (kmux::Backend::standalone) and the unit with the exported functions.
struct LibraryParts {
  const Artifact& backend;
  std::string entry;
  std::vector<std::string> exported;  // and nothing else is
  std::vector<std::string> libraries;  // to link: "dl" for -ldl
};

/// Compiles and links `parts` in a folder of its own. Gives the library's bytes.
///
/// Errors: unavailable without a compiler (`compiler`, else the first in PATH), with what to install; compile_failed with
///         notes "log" and "command"; internal for parts whose names are no plain file names, and for a library that
///         exports anything else or needs libtvm_ffi or kmux.
Result<std::string> link_library(const LibraryParts& parts, const std::string& compiler);

}  // namespace kmux
