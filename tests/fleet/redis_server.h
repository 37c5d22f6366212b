#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "cache/remote/redis_connection.h"
#include "temp_folder.h"

namespace kmux {

/// Debian's redis-server, on loopback and in a folder of its own; gone with this object.
class RedisServer {
 public:
  /// Starts it and waits until it answers; `options` are its own, as in {"--requirepass", "..."}.
  explicit RedisServer(std::vector<std::string> options = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  RemoteAddress address() const;
  RemoteAddress socket_address() const;

  /// Starts it again, on the same port; what it held is lost.
  void start();
  /// Kills it in the midst of whatever it does.
  void kill();
  /// It is there, but says nothing any more.
  void pause() const;
  void resume() const;

  /// What it answers to a command.
  RedisReply ask(const std::vector<std::string_view>& words) const;

 private:
  void wait_until_ready() const;

  TempFolder temp_{memory_folder()};
  std::vector<std::string> options_;
  int port_;
  pid_t process_ = 0;
};

}  // namespace kmux
