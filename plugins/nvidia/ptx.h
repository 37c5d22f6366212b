#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

#include "nvidia/arch.h"

namespace kmux::nvidia {

/// The names of the kernels (`.entry`) in PTX, sorted.
std::vector<std::string> ptx_kernels(std::string_view ptx);

/// The architecture of its `.target` line.
///
/// Errors: invalid_argument if it has none.
Result<Arch> ptx_arch(std::string_view ptx);

}  // namespace kmux::nvidia
