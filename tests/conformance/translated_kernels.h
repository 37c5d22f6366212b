#pragma once

#include <string>
#include <string_view>

namespace kmux::conformance {

/// Kernels in the common subset of C and CUDA, each begun with KERNEL, as MSL:
/// a parameter there has an address space and a number, and 64 bits are a long.
std::string msl_kernels(std::string_view text);

/// The same as Python of CuTe DSL: pointers are arrays (`cute_helpers`), a statement is a line. Line 3 of it is the first of a
/// body that begins below its kernel.
std::string cute_kernels(std::string_view text);

/// What they import, module kmux_c.
std::string_view cute_helpers();

} // namespace kmux::conformance
