#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// What a loader sees of a shared library.
struct LibraryFacts {
  std::vector<std::string> exported;  // names that others can bind to, sorted
  std::vector<std::string> needed;    // libraries that it loads, in order
};

/// Reads the dynamic section and symbols of an ELF64 library.
///
/// Errors: internal that says what is wrong with `bytes`; never undefined behaviour, whatever they are.
/// Source: System V ABI, ELF-64 Object File Format 1.5.
Result<LibraryFacts> read_library_facts(std::string_view bytes);

}  // namespace kmux
