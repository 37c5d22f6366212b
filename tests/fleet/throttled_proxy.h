#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kmux/plugin/descriptor.h"

#include "cache/remote/remote_address.h"

namespace kmux {

/// A network between clients and a server, both on this machine, that all connections share: so many bytes a second go in
/// each direction, whatever the machine's own loopback could do.
///
/// Threads: any.   Lifetime: the destructor hangs up.
class ThrottledProxy {
 public:
  /// Listens on loopback and passes on to `server`, a host and a port. Errors: throws std::runtime_error.
  ThrottledProxy(const RemoteAddress& server, std::int64_t bytes_per_second);
  ~ThrottledProxy();
  ThrottledProxy(const ThrottledProxy&) = delete;
  ThrottledProxy& operator=(const ThrottledProxy&) = delete;

  RemoteAddress address() const { return {.host = "127.0.0.1", .port = port_}; }

 private:
  class Direction;
  void serve();
  void connect(Descriptor client);
  void pump(int from, int to, Direction& direction) const;

  std::uint16_t server_port_;
  Descriptor socket_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Direction> up_;
  std::unique_ptr<Direction> down_;
  std::atomic<bool> ends_{false};
  std::vector<Descriptor> connections_;  // of `serve`'s thread until it has ended
  std::vector<std::thread> pumps_;
  std::thread thread_;
};

}  // namespace kmux
