#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/descriptor.h"

#include "remote_address.h"

struct redisReader;

namespace kmux {

/// When an exchange with a server is given up: it must be answered within the time-out, and then go on.
///
/// The whole has the time-out and what its bytes take at `kSlowestBytesPerSecond`, so that a large value through a network
/// that many use is not a failure, and a server that sends a byte now and then is one. Once bytes came, none may be missing for
/// `kLongestSilence` time-outs.
/// Threads: one at a time.
class TransferDeadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kSlowestBytesPerSecond = std::int64_t{512} << 10;
  static constexpr int kLongestSilence = 4;

  TransferDeadline(std::chrono::milliseconds timeout, Clock::time_point now)
      : timeout_(timeout), end_(now + timeout), silence_end_(Clock::time_point::max()) {}

  /// So many bytes were sent or came.
  void moved(std::size_t bytes, Clock::time_point now) {
    end_ += std::chrono::nanoseconds(static_cast<std::int64_t>(bytes) * 1'000'000'000 / kSlowestBytesPerSecond);
    silence_end_ = now + kLongestSilence * timeout_;
  }
  /// The other side has everything now, and only time is allowed to pass.
  void wait_for_reply() { silence_end_ = Clock::time_point::max(); }

  Clock::time_point end() const { return std::min(end_, silence_end_); }

 private:
  std::chrono::milliseconds timeout_;
  Clock::time_point end_;
  Clock::time_point silence_end_;
};

/// What a Redis server answers, without lists: no command of ours returns one.
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
  ///         hangs up or its answer is not a reply of Redis.
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
