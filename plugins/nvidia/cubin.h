#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

#include "nvidia/arch.h"

namespace kmux::nvidia {

/// The symbols of the kernels in a cubin, sorted.
///
/// Errors: invalid_argument if it is no cubin (an ELF file of 64 bits for NVIDIA's devices).
Result<std::vector<std::string>> cubin_kernels(std::string_view cubin);

/// The architecture that a cubin is for, with its suffix.
///
/// Errors: as `cubin_kernels`.
Result<Arch> cubin_arch(std::string_view cubin);

/// The symbol of each of `kernels` in code that has the symbols `present`: that of the same name, or for a name expression
/// ("scale<float>") the one whose demangled name it is, blanks aside.
///
/// Errors: compile_failed that names the kernel that is not there, or is there more than once, and those that are.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels,
                                              const std::vector<std::string>& present);

/// `find_kernels` in a cubin.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels, std::string_view cubin);

}  // namespace kmux::nvidia
