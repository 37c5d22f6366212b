#pragma once

#include <string>

#include "kmux/json.h"

namespace kmux {

/// What tells a file of a toolchain from another without reading it: an object with "path", "size" and "mtime_ns"; only
/// "path" where there is no such file.
Json identify_file(const std::string& path);

}  // namespace kmux
