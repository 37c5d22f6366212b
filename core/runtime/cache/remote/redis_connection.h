#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/descriptor.h"

#include "remote_address.h"
#include "transfer_deadline.h"

struct redisReader;

namespace kmux {

/// What a Redis server answers, lists aside: nobody asks for one.
struct RedisReply {
  enum class Kind { kText, kInteger, kNil, kRefusal };
  Kind kind = Kind::kNil;
  std::string text = {};  // of kText and kRefusal
  long long integer = 0;
};

/// The kind of the note in an error of a server that did not answer in time.
inline constexpr const char* kTimeOutNote = "time-out";

/// A connection to a Redis server. After an error it is of no use any more.
///
/// A dead server costs no more than the time-out, a slow one no more than TransferDeadline allows, and no reply takes more
/// memory than its limit.
/// Threads: one at a time.
class RedisConnection {
 public:
  using Clock = TransferDeadline::Clock;
  /// When bytes of a server came last, over several connections.
  using LastHeard = std::atomic<Clock::time_point>;

  /// Connects, logs in and chooses the database, all within `timeout`; looking a name up is not.
  ///
  /// Errors:   unavailable that names the server and never the password.
  /// Lifetime: borrows `heard` as long as the connection lives.
  static Result<RedisConnection> open(const RemoteAddress& address, std::chrono::milliseconds timeout,
                                      LastHeard* heard = nullptr);

  /// Sends a command and waits for its reply.
  ///
  /// Errors: unavailable if it takes longer than a TransferDeadline of `timeout` allows (with note kTimeOutNote), the server
  ///         hangs up or its answer is no reply of Redis.
  Result<RedisReply> ask(const std::vector<std::string_view>& words, std::chrono::milliseconds timeout);

  /// Did the server hang up, and no more? Then nothing speaks against a new connection.
  bool was_closed() const { return was_closed_; }

 private:
  struct FreeReader {
    void operator()(redisReader* reader) const;
  };

  RedisConnection(Descriptor socket, LastHeard* heard);
  Status introduce(const RemoteAddress& address, TransferDeadline& deadline);
  Result<RedisReply> ask_until(const std::vector<std::string_view>& words, TransferDeadline& deadline);
  Status send(std::string_view bytes, TransferDeadline& deadline);
  Result<RedisReply> receive(TransferDeadline& deadline);
  Status receive_some(TransferDeadline& deadline);
  Error hung_up(int error);

  Descriptor socket_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  LastHeard* heard_;  // may be null
  bool was_closed_ = false;
};

}  // namespace kmux
