#pragma once

#include <cstdint>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The number of bytes that `text`, the value of the setting `name`, is: digits, then K, M, G or T for 1024 of the one
/// before.
///
/// Errors: invalid_argument that names the setting.
Result<std::uint64_t> parse_byte_size(const std::string& name, const std::string& text);

}  // namespace kmux
