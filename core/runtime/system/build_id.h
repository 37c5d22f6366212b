#pragma once

#include <filesystem>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The GNU build-id of an ELF library as hex digits, read from its notes without loading it; empty if it has none.
///
/// Errors: invalid_argument if the file is no 64-bit little-endian ELF file or is damaged; unavailable if it cannot be
///         read.
/// Source: System V ABI, chapters 4 and 5 (ELF-64); NT_GNU_BUILD_ID of <elf.h>.
Result<std::string> read_build_id(const std::filesystem::path& library);

}  // namespace kmux
