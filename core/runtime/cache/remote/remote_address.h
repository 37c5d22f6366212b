#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// Where a Redis server is, and as which user it is used.
struct RemoteAddress {
  std::string host;  // a name or an address
  std::uint16_t port = 6379;
  std::string socket;    // the path of a Unix socket, instead of host and port
  std::string user;      // empty: the server's default user
  std::string password;  // empty: none is sent
  std::uint16_t database = 0;
  bool unauthenticated = false;  // `?unauthenticated=1`: without a key it is used all the same
};

/// Reads `redis://[user[:password]@]host[:port][/database]` or `redis+unix://[user[:password]@]/path`, either with
/// `?unauthenticated=1` after it; what has a meaning in a URL is written with % (RFC 3986).
///
/// Errors: invalid_argument that says what is wrong and never repeats the text, as there is a password in it.
Result<RemoteAddress> parse_remote_address(std::string_view text);

/// The URL without user and password, for messages.
std::string to_string(const RemoteAddress& address);

}  // namespace kmux
