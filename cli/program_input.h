#pragma once

#include <string>

#include "kmux/dispatch.h"
#include "kmux/error.h"

namespace kmux::cli {

/// The path that stands for the standard input on the command line.
inline constexpr const char* kStandardInput = "-";

/// Reads the program at `path` or on the standard input: JSON, text form, or a source that contains its program. Files
/// named on the standard input are relative to the current folder.
///
/// Errors: as for `load_program`; invalid_argument if the standard input is empty, as it is for a second reader.
Result<Program> load_given_program(const std::string& path);

/// Returns all of the standard input.
///
/// Errors: invalid_argument if it is empty; unavailable if it cannot be read.
Result<std::string> read_standard_input();

}  // namespace kmux::cli
