#pragma once

#include <string>
#include <vector>

#include "../native_libraries.h"

namespace kmux::bench::spmd {

/// A function of native.cpp.
using NativeFunction = void (*)(void* const* buffers, const int* scalars);

/// native.cpp as one compiler makes it.
struct NativeCode : NativeLibrary {
  NativeFunction function(const std::string& name) const;
};

/// By g++ and clang++-19 with -O3, of those that are there; compiled once a process. Throws if there is none, or if one fails.
const std::vector<NativeCode>& native_code();

}  // namespace kmux::bench::spmd
