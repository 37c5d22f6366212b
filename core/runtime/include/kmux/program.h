#pragma once

#include <filesystem>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/export.h"

namespace kmux {

/// Reads a program (`NAME.kmux.json` and the files it names, beside it) and validates it.
///
/// Errors: invalid_argument with every problem, missing and changed files among them; unavailable if the document itself
/// cannot be read. Paths that leave the folder, by ".." or by a symbolic link, are refused.
KMUX_API Result<Program> load_program(const std::filesystem::path& path);

/// Writes `program` to `path` and its files beside it, each through a temporary file and a rename.
KMUX_API Status save_program(const Program& program, const std::filesystem::path& path);

}  // namespace kmux
