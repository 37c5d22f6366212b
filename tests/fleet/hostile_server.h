#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "kmux/plugin/descriptor.h"

#include "cache/remote/remote_address.h"

namespace kmux {

/// A server on loopback that does as it likes with every connection.
class HostileServer {
 public:
  /// `behave` has the connection; it returns soon once `ends()`.
  using Behave = std::function<void(HostileServer& server, int connection)>;
  explicit HostileServer(Behave behave);
  /// Answers whatever it is asked with `bytes`.
  static Behave answers(std::string bytes);
  ~HostileServer();
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  RemoteAddress address() const { return {.host = "127.0.0.1", .port = port_}; }
  int connections() const { return connections_; }
  bool ends() const { return ends_; }
  /// Waits for bytes of the client; false if it hung up or this server ends.
  bool wait_for_bytes(int connection) const;
  /// Sends; false if the client hung up.
  static bool send(int connection, const std::string& bytes);

 private:
  void serve();

  Behave behave_;
  Descriptor socket_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace kmux
