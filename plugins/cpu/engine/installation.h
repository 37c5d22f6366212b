#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "kmux/error.h"

namespace kmux::cpu {

/// "LLVM 19.1.7".
std::string compiler_version();

/// The file that the code at `address` was loaded from, links resolved.
std::string library_of(void* address);

/// The file of the code that asks.
std::string own_library();

/// The folder of Clang's own headers (stddef.h, immintrin.h): beside the plugin (clang-19 in its folder, clang/19 above
/// it), else where it was at build time, else beside the loaded Clang library, else where packages put it.
///
/// Errors: unavailable that lists the folders searched and says what to install.
Result<std::string> resource_dir();

/// `resource_dir`, or where it was at build time: a source that includes nothing is compiled without it.
std::string resource_dir_or_default();

/// As `resource_dir`, the first of `folders` that holds such headers.
Result<std::string> first_resource_dir(std::span<const std::filesystem::path> folders);

}  // namespace kmux::cpu
