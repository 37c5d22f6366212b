#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "kmux/error.h"

namespace kmux {

/// The text of note "worker" in the error of a worker killed from outside. No candidate is quarantined for it.
inline constexpr const char* kKilledWorker = "killed";

/// The time for which a compiler that failed, through no fault of the sources, is not called again.
inline constexpr std::chrono::minutes kFailureTime{10};

/// The recent calls of a plugin that crashed or hung its worker, with their errors.
///
/// Entries expire: the cause of the crash may be a header that was fixed since, which the request does not contain. The
/// oldest entries are dropped above `kMaxCalls` or `kMaxBytes`, as an error contains the compiler's output.
/// Threads: one at a time.
class FailedCalls {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Limit = std::optional<std::chrono::milliseconds>;
  static constexpr std::size_t kMaxCalls = 256;
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

  /// Entries expire after `time`.
  FailedCalls(std::chrono::steady_clock::duration time, Clock now) : time_(time), now_(std::move(now)) {}

  /// Adds the error of the call `key`; `limit` is that of a call that hung. Expires earlier, after `at_most`, if given.
  void add(const std::string& key, const Error& error, const Limit& limit,
           const std::optional<std::chrono::seconds>& at_most = {});

  /// Returns the error of the call `key`, or nothing if it hung and `limit` is longer now.
  std::optional<Error> find(const std::string& key, const Limit& limit);

  std::size_t count() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    Error error;
    Limit limit;
    std::size_t bytes;
    std::chrono::steady_clock::time_point until;
  };
  void drop_oldest();
  void drop(const std::string& key);
  void drop_expired();

  std::chrono::steady_clock::duration time_;
  Clock now_;
  std::list<Entry> entries_ = {};  // the oldest first
  std::map<std::string, std::list<Entry>::iterator> by_key_ = {};
  std::size_t bytes_ = 0;
};

}  // namespace kmux
