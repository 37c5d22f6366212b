#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kmux/error.h"

namespace kmux {

/// The address of a Redis server, and the user to log in as.
struct RemoteAddress {
  std::string host;  // a name or an address
  std::uint16_t port = 6379;
  std::string socket;    // the path of a Unix socket, instead of host and port
  std::string user;      // empty: the server's default user
  std::string password;  // empty: none is sent
  std::uint16_t database = 0;
  bool unauthenticated = false;  // `?unauthenticated=1`: the server may be used without a key
};

/// Reads `redis://[user[:password]@]host[:port][/database]` or `redis+unix://[user[:password]@]/path`, either with
/// `?unauthenticated=1` after it; characters with a meaning in URLs must be escaped with % (RFC 3986).
///
/// Errors: invalid_argument with the problem, but never the text, which may contain a password.
Result<RemoteAddress> parse_remote_address(std::string_view text);

/// Returns the URL without user and password, for messages.
std::string to_string(const RemoteAddress& address);

}  // namespace kmux
