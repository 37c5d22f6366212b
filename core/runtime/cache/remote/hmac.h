#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// HMAC-SHA256 of `message` under `key` as 64 lower-case hex digits.
///
/// Source: RFC 2104, FIPS 198-1.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

/// Are both the same? Takes equally long for all texts of one size.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace kmux
