#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/dynamic_library.h"

namespace kmux::bench {

/// Sources of C++ as one compiler of the machine makes them.
struct NativeLibrary {
  std::string compiler;
  DynamicLibrary library;
};

/// Builds what `arguments` name, sources and flags, with each of g++ and clang++-19 that is there, with -O3.
///
/// Errors: throws if neither is there, or if one fails.
std::vector<NativeLibrary> native_libraries(const std::vector<std::string>& arguments);

}  // namespace kmux::bench
