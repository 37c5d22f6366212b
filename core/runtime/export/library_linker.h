#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"

namespace kmux {

/// The inputs of a linked library: a backend's parts (kmux::Backend::standalone) and the unit with the exported
/// functions.
struct LibraryParts {
  const Artifact& backend;
  std::string entry;
  std::vector<std::string> exported;  // exactly these
  std::vector<std::string> libraries;  // to link: "dl" for -ldl
};

/// Compiles and links `parts` in a separate folder. Returns the library's bytes.
///
/// Errors: unavailable without a compiler (`compiler`, else the first in PATH), with advice to install one;
///         compile_failed with notes "log" and "command"; internal for parts whose names are not plain file names, and
///         for a library that exports other symbols or needs libtvm_ffi or kmux.
Result<std::string> link_library(const LibraryParts& parts, const std::string& compiler);

/// The facts that a loader reads from a shared library.
struct LibraryFacts {
  std::vector<std::string> exported;  // names that others can bind to, sorted
  std::vector<std::string> needed;  // libraries that it loads, in order
};

/// Reads the dynamic section and symbols of an ELF64 library.
///
/// Errors: internal that names the defect of `bytes`. Invalid bytes never cause undefined behaviour.
/// Source: System V ABI, ELF-64 Object File Format 1.5.
Result<LibraryFacts> read_library_facts(std::string_view bytes);

}  // namespace kmux
