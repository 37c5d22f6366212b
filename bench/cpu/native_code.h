#pragma once

#include <string>
#include <vector>

#include "../native_libraries.h"

namespace kmux::bench::spmd {

/// A function of native.cpp.
using NativeFunction = void (*)(void* const* buffers, const int* scalars);

/// native.cpp as compiled by one compiler.
struct NativeCode : NativeLibrary {
  NativeFunction function(const std::string& name) const;
};

/// Returns the builds by the available compilers of g++ and clang++-19 with -O3, compiled once per process. Throws if
/// neither is available or one fails.
const std::vector<NativeCode>& native_code();

}  // namespace kmux::bench::spmd
