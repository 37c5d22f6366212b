#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux::nvidia {

/// Are all `flags` of the kinds that change how a kernel is compiled and nothing else? The list has what nvcc and NVRTC
/// take; which of the two takes a flag it says itself.
///
/// Errors: invalid_argument that names the first other flag: one that writes files, loads code, runs a program, reads
///         options from a file, or is in two pieces.
Status check_flags(const std::vector<std::string>& flags, std::string_view backend);

}  // namespace kmux::nvidia
