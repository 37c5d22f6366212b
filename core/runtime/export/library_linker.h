#pragma once

#include <string>
#include <string_view>
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
///         notes "log" and "command"; internal for parts whose names are not plain file names, and for a library that
///         exports anything else or needs libtvm_ffi or kmux.
Result<std::string> link_library(const LibraryParts& parts, const std::string& compiler);

/// What a loader reads of a shared library.
struct LibraryFacts {
  std::vector<std::string> exported;  // names that others can bind to, sorted
  std::vector<std::string> needed;  // libraries that it loads, in order
};

/// Reads the dynamic section and symbols of an ELF64 library.
///
/// Errors: internal that says what is wrong with `bytes`; never undefined behaviour, whatever they are.
/// Source: System V ABI, ELF-64 Object File Format 1.5.
Result<LibraryFacts> read_library_facts(std::string_view bytes);

}  // namespace kmux
