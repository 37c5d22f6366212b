#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kmux {

/// When an exchange with a server is given up: it must be answered within the time-out, and then go on.
///
/// The whole has the time-out and what its bytes take at `kSlowestBytesPerSecond`, so that a large value through a network
/// that many use is no failure, and a server that sends a byte now and then is one. Once bytes came, none may be missing for
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

}  // namespace kmux
