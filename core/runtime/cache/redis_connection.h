#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/descriptor.h"
#include "kmux/error.h"

#include "remote_address.h"

struct redisReader;

namespace kmux {

/// What a Redis server answers, lists aside: nobody asks for one.
struct RedisReply {
  enum class Kind { kText, kInteger, kNil, kRefusal };
  Kind kind = Kind::kNil;
  std::string text = {};  // of kText and kRefusal
  long long integer = 0;
};

/// A connection to a Redis server. After an error it is of no use any more.
///
/// Neither a slow server nor a dead one costs more than the time-out, and no reply takes more memory than its limit.
/// Threads: one at a time.
class RedisConnection {
 public:
  /// Connects, says who asks and chooses the database, all within `timeout`; looking a name up is not.
  ///
  /// Errors: unavailable that names the server and never the password.
  static Result<RedisConnection> open(const RemoteAddress& address, std::chrono::milliseconds timeout);

  /// Sends a command and waits for its reply.
  ///
  /// Errors: unavailable if it takes longer than `timeout`, the server hangs up or what it says is no reply.
  Result<RedisReply> ask(const std::vector<std::string_view>& words, std::chrono::milliseconds timeout);

  /// Did the server hang up, and no more? Then nothing speaks against a new connection.
  bool was_closed() const { return was_closed_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct FreeReader {
    void operator()(redisReader* reader) const;
  };

  explicit RedisConnection(Descriptor socket);
  Status introduce(const RemoteAddress& address, Clock::time_point end);
  Result<RedisReply> ask_until(const std::vector<std::string_view>& words, Clock::time_point end);
  Status send(std::string_view bytes, Clock::time_point end);
  Result<RedisReply> receive(Clock::time_point end);
  Status receive_some(Clock::time_point end);
  Error hung_up(int error);

  Descriptor socket_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  bool was_closed_ = false;
};

}  // namespace kmux
