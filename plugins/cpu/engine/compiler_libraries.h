#pragma once

#include <string>
#include <vector>

namespace kmux::cpu {

/// The files that Clang and LLVM are loaded from, each once; none if they are part of the file that asks.
std::vector<std::string> compiler_libraries();

}  // namespace kmux::cpu
