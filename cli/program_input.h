#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::cli {

/// What the command line gives for a file that comes from the standard input.
inline constexpr const char* kStandardInput = "-";

/// Reads the program that `path` names, or the one on the standard input: JSON, a text, or a source that carries its program. The
/// files that it names lie in the current folder then.
///
/// Errors: as `load_program`; invalid_argument where the standard input is empty, as it is for the second reader.
Result<Program> load_given_program(const std::string& path);

/// Returns all that is on the standard input.
///
/// Errors: invalid_argument where it is empty; unavailable where it cannot be read.
Result<std::string> read_standard_input();

}  // namespace kmux::cli
