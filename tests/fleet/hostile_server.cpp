#include "hostile_server.h"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

#include <netinet/in.h>

namespace kmux {
namespace {

constexpr int kGlance = 20;  // ms

bool is_readable(int socket) {
  pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, kGlance) > 0;
}

}  // namespace

HostileServer::HostileServer(Behave behave)
    : behave_(std::move(behave)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const bytes = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_.get(), bytes, size) != 0 || ::listen(socket_.get(), 16) != 0 ||
      ::getsockname(socket_.get(), bytes, &size) != 0) {
    throw std::runtime_error("no port to listen to");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HostileServer::~HostileServer() {
  ends_ = true;
  thread_.join();
}

HostileServer::Behave HostileServer::answers(std::string bytes) {
  return [bytes = std::move(bytes)](HostileServer& server, int connection) {
    while (server.wait_for_bytes(connection) && send(connection, bytes)) {
    }
  };
}

void HostileServer::serve() {
  while (!ends_) {
    if (!is_readable(socket_.get())) continue;
    const Descriptor connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ++connections_;
    behave_(*this, connection.get());
  }
}

bool HostileServer::wait_for_bytes(int connection) const {
  while (!ends_) {
    std::array<char, 65536> bytes;
    if (is_readable(connection)) return ::recv(connection, bytes.data(), bytes.size(), 0) > 0;
  }
  return false;
}

bool HostileServer::send(int connection, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t some = ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some <= 0) return false;
    sent += static_cast<std::size_t>(some);
  }
  return true;
}

}  // namespace kmux
