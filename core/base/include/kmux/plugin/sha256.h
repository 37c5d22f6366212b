#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// Returns the SHA-256 of `bytes` as 64 lower-case hex digits.
///
/// Source: FIPS 180-4.
std::string sha256_hex(std::string_view bytes);

/// Returns the HMAC-SHA256 of `message` under `key` as 64 lower-case hex digits.
///
/// Source: RFC 2104, FIPS 198-1.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

}  // namespace kmux
