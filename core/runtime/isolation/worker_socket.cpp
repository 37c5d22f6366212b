#include "worker_socket.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace kmux {
namespace {

constexpr int kHourMs = 3'600'000;

}  // namespace

Transfer send_all(int socket, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd end{socket, POLLOUT, 0};
      ::poll(&end, 1, deadline.poll_ms(kHourMs));
      if (deadline.passed()) return Transfer::kTimeUp;
    } else if (errno != EINTR) {
      return Transfer::kClosed;
    }
  }
  return Transfer::kDone;
}

Transfer receive_some(int socket, FrameReader& reader) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      reader.append({buffer.data(), static_cast<std::size_t>(count)});
      return Transfer::kDone;
    }
    if (count == 0 || errno != EINTR) return Transfer::kClosed;
  }
}

}  // namespace kmux
