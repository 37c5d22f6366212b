#include "loopback.h"

#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

namespace kmux {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

std::uint16_t listen_on_loopback(int socket) {
  constexpr int kWaiting = 64;
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  auto* const bytes = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, bytes, size) != 0 || ::listen(socket, kWaiting) != 0 || ::getsockname(socket, bytes, &size) != 0) {
    throw std::runtime_error("no port to listen to");
  }
  return ntohs(address.sin_port);
}

bool is_readable(int socket) {
  constexpr int kGlanceMs = 20;
  pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, kGlanceMs) > 0;
}

bool send_all(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace kmux
