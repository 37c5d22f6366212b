#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cache/disk/cache_entry.h"
#include "cache/disk/entry_store.h"
#include "cache/disk/packed_entry.h"
#include "remote_lease.h"
#include "remote_tier.h"

namespace kmux {

/// Blocks requests to a peer that failed: after a failure no request is sent for `back_off`, then one caller tries.
///
/// Threads: any; lock-free, so that a forked child cannot hang.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CircuitBreaker(Clock::duration back_off) : back_off_(back_off) {}

  /// Returns true if the caller may send a request. It must then report the outcome: `succeeded`, `failed` or
  /// `not_tried`.
  bool allows(Clock::time_point now = Clock::now());
  void succeeded();
  /// Records that the permitted request was not sent, so that the next caller may try.
  void not_tried(Clock::time_point now = Clock::now());
  /// Records a failure. Returns true if a warning is due, once per `back_off`.
  bool failed(Clock::time_point now = Clock::now());

 private:
  static Clock::rep ticks(Clock::time_point time) { return time.time_since_epoch().count(); }

  Clock::duration back_off_;
  std::atomic<Clock::rep> try_again_{0};  // 0: closed, the peer works
  std::atomic<Clock::rep> warn_again_{0};
};

/// Limits log lines caused by other processes: each line once per `period`, and at most `kMaxLines` lines.
///
/// Threads: any; a line may be lost if two threads log at the same time.
class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxLines = 8;

  explicit LogLimit(Clock::duration period) : period_(period) {}

  enum class Verdict { kLog, kLogAsLast, kDrop };  // kLogAsLast: later lines in this period are dropped
  Verdict judge(const std::string& line, Clock::time_point now);

 private:
  Clock::duration period_;
  std::mutex mutex_;
  Clock::time_point end_{};
  std::set<std::string> lines_;
};

struct RemoteOptions {
  std::shared_ptr<RemoteTier> tier;
  std::string name = {};  // for messages
  std::string secret = {};  // of the fleet; empty: every client that may write to the tier is trusted
  bool read_only = false;  // reads entries, stores none and holds no lease
  std::chrono::milliseconds lease_time{15'000};  // the delay for other nodes if the node that builds an entry dies
  std::chrono::milliseconds renew_every = lease_time / 3;
  std::chrono::milliseconds back_off{30'000};  // no request is sent for this time after a failure
  std::function<CircuitBreaker::Clock::time_point()> now = CircuitBreaker::Clock::now;  // clock of the back-offs
};

/// Returns the key under which an entry of `key` from a server without a secret is stored on disk. A process with a
/// secret does not read that key, so it never uses an unauthenticated entry.
CacheKey unauthenticated_key(CacheKey key);

/// Finds and stores entries in a remote tier. If an entry is missing, one node of the fleet builds it for all.
///
/// Callers always get an intact entry of their key, authenticated if a secret is set and valid for the headers of this
/// machine, or none. A failure is logged once per back-off and costs one time-out of the tier. A single call that is
/// too slow while the tier is alive is not a failure of the tier; `kMaxSlowCalls` of them without a success are. Leases
/// are renewed and released regardless of other calls.
/// Threads: any.
class RemoteCache {
 public:
  static constexpr int kMaxSlowCalls = 8;

  RemoteCache(RemoteOptions options, CacheLog log);

  /// Returns the entry of `key`, or nothing. Headers of a shared entry are searched in `folders`.
  std::optional<CacheEntry> find(const std::string& key, const IncludeFolders& folders = {});

  /// An entry, or the lease to build it, or neither: then this node builds it without a lease.
  struct Turn {
    std::optional<CacheEntry> entry = {};
    std::unique_ptr<RemoteLease> lease = {};  // must be held until the entry is stored
  };
  /// Finds the entry of `key`, or waits at most `patience` until another node has built it or no node is building it.
  /// After a wait without an entry, no caller waits for ten back-off times.
  Turn take_turn(const std::string& key, std::chrono::milliseconds patience);

  /// Stores an entry next to those for other header states. Replaces one for the same state.
  void store(const PackedEntry& entry);

  bool writable() const { return !options_.read_only; }

 private:
  template <class Call>
  auto ask(CircuitBreaker& refusals, const Call& call) -> std::optional<typename decltype(call())::value_type>;
  void give_up(CircuitBreaker& refusals, const Error& error);
  bool is_one_slow_call(const Error& error);
  void warn(const std::string& text) const;
  void refuse(const std::string& key, const std::string& why);
  bool allows(CircuitBreaker& refusals);
  std::optional<Turn> try_turn(const std::string& key, const std::string& holder);
  Turn wait_for_turn(const std::string& key, const std::string& holder, std::chrono::milliseconds patience);
  std::optional<bool> try_lease(const std::string& key, const std::string& holder);
  std::unique_ptr<RemoteLease> hold(const std::string& key, const std::string& holder);
  std::optional<CacheEntry> usable(const std::string& key, const PackedEntry& entry, const IncludeFolders& folders);

  RemoteOptions options_;
  CacheLog log_;
  std::shared_ptr<LeaseRenewer> renewer_ = LeaseRenewer::of_process();
  CircuitBreaker failures_;  // failures of the tier as a whole
  CircuitBreaker get_refusals_;  // the tier responds, but denies this user reads
  CircuitBreaker store_refusals_;  // or writes
  CircuitBreaker fruitless_waits_;  // waits for an entry that was not stored
  std::atomic<int> slow_calls_{0};  // since the last success
  LogLimit refused_entries_;
};

}  // namespace kmux
