#include "hostile_server.h"

#include <array>
#include <sys/socket.h>

#include "loopback.h"

namespace kmux {

HostileServer::HostileServer(Behave behave)
    : behave_(std::move(behave)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  port_ = listen_on_loopback(socket_.get());
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
  return send_all(connection, bytes.data(), bytes.size());
}

}  // namespace kmux
