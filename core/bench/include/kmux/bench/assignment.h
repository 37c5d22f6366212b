#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kmux/error.h"

namespace kmux::bench {

/// "NAME=VALUE" apart.
///
/// Errors: invalid_argument that shows `option` and the form.
Result<std::pair<std::string, std::string>> split_assignment(std::string_view option, std::string_view text);

}  // namespace kmux::bench
