#pragma once

#include <string>
#include <string_view>

namespace kmux::conformance {

/// Kernels in the common subset of C and CUDA, each begun with KERNEL, as MSL:
/// a parameter there has an address space and a number, and 64 bits are a long.
std::string msl_kernels(std::string_view text);

} // namespace kmux::conformance
