#include "remote_address.h"

#include <boost/config.hpp>
// An application's own Boost.URL and ours must not meet: none of its symbols leaves libkmux.so.
#undef BOOST_SYMBOL_VISIBLE
#define BOOST_SYMBOL_VISIBLE
#include <charconv>
#include <optional>
#include <sys/un.h>

#include <boost/url/src.hpp>  // the library itself, so that nothing more is linked

namespace kmux {
namespace {

constexpr std::size_t kLongestSocket = sizeof(sockaddr_un::sun_path) - 1;

Error refused(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the URL of the remote cache is refused (" + why +
                        "). Write redis://[user[:password]@]host[:port][/database] or redis+unix:///path, with "
                        "%XX for a character that has a meaning in URLs.");
}

std::optional<std::uint16_t> to_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Status read_server(const boost::urls::url_view& url, RemoteAddress& address) {
  address.host = url.host_address();
  if (address.host.empty()) return refused("it names no host");
  if (url.has_port() && !url.port().empty()) {
    const std::optional<std::uint16_t> port = to_number(url.port());
    if (!port || *port == 0) return refused("its port is not a number from 1 to 65535");
    address.port = *port;
  }
  const std::string path = url.path();
  if (path.size() <= 1) return Ok{};
  const std::optional<std::uint16_t> database = to_number(std::string_view(path).substr(1));
  if (!database) return refused("the path is not a database number");
  address.database = *database;
  return Ok{};
}

Status read_socket(const boost::urls::url_view& url, RemoteAddress& address) {
  if (!url.host().empty() || url.has_port()) return refused("a Unix socket has no host");
  address.socket = url.path();
  if (!address.socket.starts_with('/')) return refused("the path of the Unix socket is not absolute");
  if (address.socket.size() > kLongestSocket) return refused("the path of the Unix socket is too long");
  return Ok{};
}

}  // namespace

Result<RemoteAddress> parse_remote_address(std::string_view text) {
  const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  if (!parsed) return refused("it is not a URL");
  const boost::urls::url_view& url = *parsed;
  const bool unauthenticated = url.query() == "unauthenticated=1";
  if ((url.has_query() && !unauthenticated) || url.has_fragment()) {
    return refused("it has more than an address and perhaps ?unauthenticated=1");
  }
  RemoteAddress address{.user = url.user(), .password = url.password(), .unauthenticated = unauthenticated};
  if (!address.user.empty() && address.password.empty()) return refused("it has a user without a password");
  if (url.scheme() == "redis") {
    KMUX_TRY(read_server(url, address));
  } else if (url.scheme() == "redis+unix") {
    KMUX_TRY(read_socket(url, address));
  } else {
    return refused("it begins neither with redis:// nor with redis+unix://");
  }
  const std::string all = address.host + address.socket + address.user + address.password;
  if (all.find('\0') != std::string::npos) return refused("it has a zero byte");
  return address;
}

std::string to_string(const RemoteAddress& address) {
  if (!address.socket.empty()) return "redis+unix://" + address.socket;
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + address.host + "]" : address.host;
  return "redis://" + host + ":" + std::to_string(address.port) + "/" + std::to_string(address.database);
}

}  // namespace kmux
