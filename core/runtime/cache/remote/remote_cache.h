#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cache/disk/cache_entry.h"
#include "cache/disk/entry_store.h"
#include "cache/disk/packed_entry.h"
#include "circuit_breaker.h"
#include "lease_renewer.h"
#include "log_limit.h"
#include "remote_lease.h"
#include "remote_tier.h"

namespace kmux {

struct RemoteOptions {
  std::shared_ptr<RemoteTier> tier;
  std::string name = {};    // for messages
  std::string secret = {};  // of the fleet; empty: whoever may write to the tier is trusted
  bool read_only = false;   // takes entries, gives none and holds no lease
  std::chrono::milliseconds lease_time{15'000};  // what the death of a node that makes an entry costs the others
  std::chrono::milliseconds renew_every = lease_time / 3;
  std::chrono::milliseconds rest{30'000};  // after a failure nobody asks for so long
  std::function<CircuitBreaker::Clock::time_point()> now = CircuitBreaker::Clock::now;  // for rests
};

/// Finds and stores entries in a remote tier, and lets one node of a fleet make what all of them miss.
///
/// Whatever the tier does, a caller gets an entry that is whole, of its key, sealed if there is a secret, and right for
/// the headers of this machine, or none. A failure is logged once a rest, and costs a time-out of the tier; one call that
/// is too slow while the tier lives is no failure of the tier, `kMostSlowCalls` without a success between them are.
/// Leases are renewed and released whatever became of other calls.
/// Threads: any.
class RemoteCache {
 public:
  static constexpr int kMostSlowCalls = 8;

  RemoteCache(RemoteOptions options, CacheLog log);

  /// The entry of `key`, or nothing.
  std::optional<CacheEntry> find(const std::string& key);

  /// An entry, or the right to make it, or neither: then this node makes it without being asked for it.
  struct Turn {
    std::optional<CacheEntry> entry = {};
    std::unique_ptr<RemoteLease> lease = {};  // hold it until the entry is stored
  };
  /// Finds the entry of `key`, or waits until another node has made it, or nobody is making it; at most `patience`, and
  /// after a wait in vain not at all for ten rests.
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
  std::optional<CacheEntry> usable(const std::string& key, const PackedEntry& entry);

  RemoteOptions options_;
  CacheLog log_;
  std::shared_ptr<LeaseRenewer> renewer_ = LeaseRenewer::of_process();
  CircuitBreaker failures_;  // of the tier as a whole
  CircuitBreaker get_refusals_;  // it is there, but refuses this user to read,
  CircuitBreaker store_refusals_;  // or to write
  CircuitBreaker vain_waits_;  // for an entry that nobody stored
  std::atomic<int> slow_calls_{0};  // since one succeeded
  LogLimit refused_entries_;
};

}  // namespace kmux
