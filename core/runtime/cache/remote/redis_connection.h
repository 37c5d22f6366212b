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

/// The deadline of one exchange with a server: the reply must begin within the time-out, and then keep arriving.
///
/// The limit for the whole exchange is the time-out plus the time for its bytes at `kSlowestBytesPerSecond`. So a large
/// value on a busy network is not a failure, but a server that sends a byte now and then is one. After the first bytes, a
/// gap must not exceed `kLongestSilence` time-outs.
/// Threads: one at a time.
class TransferDeadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kSlowestBytesPerSecond = std::int64_t{512} << 10;
  static constexpr int kLongestSilence = 4;

  TransferDeadline(std::chrono::milliseconds timeout, Clock::time_point now)
      : timeout_(timeout), end_(now + timeout), silence_end_(Clock::time_point::max()) {}

  /// Records that `bytes` were sent or received.
  void moved(std::size_t bytes, Clock::time_point now) {
    end_ += std::chrono::nanoseconds(static_cast<std::int64_t>(bytes) * 1'000'000'000 / kSlowestBytesPerSecond);
    silence_end_ = now + kLongestSilence * timeout_;
  }
  /// Records that everything was sent, so that a silence is permitted until the deadline.
  void wait_for_reply() { silence_end_ = Clock::time_point::max(); }

  Clock::time_point end() const { return std::min(end_, silence_end_); }

 private:
  std::chrono::milliseconds timeout_;
  Clock::time_point end_;
  Clock::time_point silence_end_;
};

/// The reply of a Redis server, without lists: no command that kmux sends returns one.
struct RedisReply {
  enum class Kind { kText, kInteger, kNil, kRefusal };
  Kind kind = Kind::kNil;
  std::string text = {};  // of kText and kRefusal
  long long integer = 0;
};

/// The kind of the note in the error of a server that did not reply in time.
inline constexpr const char* kTimeOutNote = "time-out";

/// A connection to a Redis server. It must not be used after an error.
///
/// A dead server costs at most the time-out, a slow one at most the limit of TransferDeadline, and no reply takes more
/// memory than its limit.
/// Threads: one at a time.
class RedisConnection {
 public:
  using Clock = TransferDeadline::Clock;
  /// The last time that bytes of a server arrived, over several connections.
  using LastHeard = std::atomic<Clock::time_point>;

  /// Connects, authenticates and selects the database within `timeout`, which excludes the look-up of the host name.
  ///
  /// Errors:   unavailable with the reason, never with the password.
  /// Lifetime: borrows `heard`, which must outlive the connection.
  static Result<RedisConnection> open(const RemoteAddress& address, std::chrono::milliseconds timeout,
                                      LastHeard* heard = nullptr);

  /// Sends a command and waits for its reply.
  ///
  /// Errors: unavailable if it exceeds a TransferDeadline of `timeout` (with note kTimeOutNote), the server closes the
  ///         connection or the bytes are not a Redis reply.
  Result<RedisReply> ask(const std::vector<std::string_view>& words, std::chrono::milliseconds timeout);

  /// Returns true if the only failure was that the connection was closed. Then the caller may open a new one.
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
