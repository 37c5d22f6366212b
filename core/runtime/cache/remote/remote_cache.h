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

/// Keeps callers from a peer that failed: after a failure no request is made for `back_off`, then one caller tries.
///
/// Threads: any; without a lock, so that a forked child cannot hang in it.
class CircuitBreaker {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CircuitBreaker(Clock::duration back_off) : back_off_(back_off) {}

  /// May this caller call? If so, it must report how that ended: `succeeded`, `failed` or `not_tried`.
  bool allows(Clock::time_point now = Clock::now());
  void succeeded();
  /// The caller that was allowed to did not call: the next one may.
  void not_tried(Clock::time_point now = Clock::now());
  /// Is a warning due? Once in `back_off`.
  bool failed(Clock::time_point now = Clock::now());

 private:
  static Clock::rep ticks(Clock::time_point time) { return time.time_since_epoch().count(); }

  Clock::duration back_off_;
  std::atomic<Clock::rep> try_again_{0};  // 0: it works
  std::atomic<Clock::rep> warn_again_{0};
};

/// Keeps a log from being filled by what another process decides: each line once in `period`, and at most `kMostLines` lines.
///
/// Threads: any; a line may be lost where two threads log at the same time.
class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostLines = 8;

  explicit LogLimit(Clock::duration period) : period_(period) {}

  enum class Verdict { kLog, kLogAsLast, kDrop };  // kLogAsLast: those that follow in this period are dropped
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
  std::string secret = {};  // of the fleet; empty: all that may write to the tier are trusted
  bool read_only = false;  // takes entries, gives none and holds no lease
  std::chrono::milliseconds lease_time{15'000};  // what the death of a node that makes an entry costs the others
  std::chrono::milliseconds renew_every = lease_time / 3;
  std::chrono::milliseconds back_off{30'000};  // after a failure no request is made for so long
  std::function<CircuitBreaker::Clock::time_point()> now = CircuitBreaker::Clock::now;  // of back-offs
};

/// Returns the key under which an entry of `key` is stored on the disk if it came from a server without a secret. A process that has a
/// secret does not look there, so it takes nothing that came unauthenticated.
CacheKey unauthenticated_key(CacheKey key);

/// Finds and stores entries in a remote tier, and lets one node of a fleet make what all of them miss.
///
/// Whatever the tier does, a caller gets an entry that is whole, of its key, authenticated if there is a secret, and right for
/// the headers of this machine, or none. A failure is logged once a back-off, and costs a time-out of the tier; one call that
/// is too slow while the tier lives is not a failure of the tier, `kMostSlowCalls` without a success between them are.
/// Leases are renewed and released whatever became of other calls.
/// Threads: any.
class RemoteCache {
 public:
  static constexpr int kMostSlowCalls = 8;

  RemoteCache(RemoteOptions options, CacheLog log);

  /// The entry of `key`, or nothing. Headers of a shared entry are looked for in `folders`.
  std::optional<CacheEntry> find(const std::string& key, const IncludeFolders& folders = {});

  /// An entry, or the right to make it, or neither: then this node makes it without being asked for it.
  struct Turn {
    std::optional<CacheEntry> entry = {};
    std::unique_ptr<RemoteLease> lease = {};  // hold it until the entry is stored
  };
  /// Finds the entry of `key`, or waits until another node has made it, or no node is making it; at most `patience`. After a
  /// wait that ended without an entry, no caller waits for ten back-off times.
  Turn take_turn(const std::string& key, std::chrono::milliseconds patience);

  /// Stores an entry, beside those of other headers; one of the same headers is replaced.
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
  CircuitBreaker failures_;  // of the tier as a whole
  CircuitBreaker get_refusals_;  // it is there, but refuses this user to read,
  CircuitBreaker store_refusals_;  // or to write
  CircuitBreaker fruitless_waits_;  // for an entry that was not stored
  std::atomic<int> slow_calls_{0};  // since one succeeded
  LogLimit refused_entries_;
};

}  // namespace kmux
