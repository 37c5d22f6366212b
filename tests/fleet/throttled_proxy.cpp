#include "throttled_proxy.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <sys/socket.h>

#include "loopback.h"

namespace kmux {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPiece = 16 * 1024;
constexpr int kBuffer = 128 * 1024;  // of the system, for each socket: what waits in it was not sent slowly
constexpr auto kBurst = std::chrono::milliseconds(10);

Descriptor tcp_socket() {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  for (const int option : {SO_RCVBUF, SO_SNDBUF}) {
    ::setsockopt(socket.get(), SOL_SOCKET, option, &kBuffer, sizeof(kBuffer));
  }
  return socket;
}

}  // namespace

/// What goes one way: bytes follow each other as on a line of that rate.
class ThrottledProxy::Direction {
 public:
  explicit Direction(std::int64_t bytes_per_second) : rate_(bytes_per_second) {}

  void wait_for(std::size_t bytes) { std::this_thread::sleep_until(reserve(bytes)); }

 private:
  Clock::time_point reserve(std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    free_ = std::max(free_, Clock::now() - kBurst);
    free_ += std::chrono::nanoseconds(static_cast<std::int64_t>(bytes) * 1'000'000'000 / rate_);
    return free_;
  }

  std::int64_t rate_;
  std::mutex mutex_;
  Clock::time_point free_{};
};

ThrottledProxy::ThrottledProxy(const RemoteAddress& server, std::int64_t bytes_per_second)
    : server_port_(server.port),
      socket_(tcp_socket()),
      up_(std::make_unique<Direction>(bytes_per_second)),
      down_(std::make_unique<Direction>(bytes_per_second)) {
  port_ = listen_on_loopback(socket_.get());
  thread_ = std::thread([this] { serve(); });
}

ThrottledProxy::~ThrottledProxy() {
  ends_ = true;
  thread_.join();
  for (const Descriptor& connection : connections_) ::shutdown(connection.get(), SHUT_RDWR);
  for (std::thread& pump : pumps_) pump.join();
}

void ThrottledProxy::serve() {
  while (!ends_) {
    if (is_readable(socket_.get())) connect(Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
  }
}

void ThrottledProxy::connect(Descriptor client) {
  Descriptor server = tcp_socket();
  const sockaddr_in address = loopback(server_port_);
  if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return;
  pumps_.emplace_back([this, from = client.get(), to = server.get()] { pump(from, to, *up_); });
  pumps_.emplace_back([this, from = server.get(), to = client.get()] { pump(from, to, *down_); });
  connections_.push_back(std::move(client));
  connections_.push_back(std::move(server));
}

void ThrottledProxy::pump(int from, int to, Direction& direction) const {
  std::array<char, kPiece> bytes;
  while (!ends_) {
    if (!is_readable(from)) continue;
    const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    direction.wait_for(static_cast<std::size_t>(got));
    if (!send_all(to, bytes.data(), static_cast<std::size_t>(got))) break;
  }
  ::shutdown(from, SHUT_RDWR);
  ::shutdown(to, SHUT_RDWR);
}

}  // namespace kmux
