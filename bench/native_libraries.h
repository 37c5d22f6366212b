#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/dynamic_library.h"

namespace kmux::bench {

/// C++ sources as compiled by one compiler of the machine.
struct NativeLibrary {
  std::string compiler;
  DynamicLibrary library;
};

/// Builds the sources and flags in `arguments` with each available compiler of g++ and clang++-19, with -O3.
///
/// Errors: throws if neither is available, or if one fails.
std::vector<NativeLibrary> native_libraries(const std::vector<std::string>& arguments);

}  // namespace kmux::bench
