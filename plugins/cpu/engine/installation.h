#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::cpu {

/// "LLVM 19.1.7".
std::string compiler_version();

/// The files that Clang and LLVM were loaded from, each once; none if they are part of the plugin, whose build-id then
/// stands for them.
std::vector<std::string> compiler_libraries();

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
