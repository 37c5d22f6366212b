#pragma once

#include <string>

#include "kmux/error.h"

namespace kmux::cli {

/// Can the file that `option` names be written? Checked before the work whose result it takes.
///
/// Errors: invalid_argument for a folder or an empty name; unavailable if its folder is missing or may not be written to.
Status check_output_file(const std::string& option, const std::string& path);

}  // namespace kmux::cli
