#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// SHA-256 of `bytes` as 64 lower-case hex digits.
///
/// Source: FIPS 180-4.
std::string sha256_hex(std::string_view bytes);

}  // namespace kmux
