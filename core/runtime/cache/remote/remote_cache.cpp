#include "remote_cache.h"

#include <algorithm>
#include <thread>

#include "kmux/plugin/sha256.h"
#include "kmux/plugin/unique_id.h"

#include "cache/disk/entry_files.h"
#include "remote_value.h"

namespace kmux {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirstLeasePause = std::chrono::milliseconds(2);
constexpr auto kLongestLeasePause = std::chrono::milliseconds(200);

/// Returns the digest for unauthenticated entries; empty for an empty digest.
std::string unauthenticated_digest(const std::string& digest) {
  return digest.empty() ? "" : sha256_hex("unauthenticated\n" + digest);
}

}  // namespace

CacheKey unauthenticated_key(CacheKey key) {
  key.digest = unauthenticated_digest(key.digest);
  key.shared_digest = unauthenticated_digest(key.shared_digest);
  return key;
}

RemoteCache::RemoteCache(RemoteOptions options, CacheLog log)
    : options_(std::move(options)),
      log_(std::move(log)),
      failures_(options_.back_off),
      get_refusals_(options_.back_off),
      store_refusals_(options_.back_off),
      fruitless_waits_(10 * options_.back_off),
      refused_entries_(options_.back_off) {}

void RemoteCache::warn(const std::string& text) const {
  if (log_) log_(text);
}

/// Logs with a limit: any writer of the tier controls its contents, and every poll reads them.
void RemoteCache::refuse(const std::string& key, const std::string& why) {
  const std::string line = "entry '" + key + "' of the remote cache '" + options_.name + "' is not used (" + why + ").";
  const LogLimit::Verdict verdict = refused_entries_.judge(line, options_.now());
  if (verdict == LogLimit::Verdict::kDrop) return;
  warn(verdict == LogLimit::Verdict::kLog ? line : line + " More of the kind are not logged for a while.");
}

/// Returns true if the tier may be called. If one breaker permits a trial and the other does not, returns the trial.
bool RemoteCache::allows(CircuitBreaker& refusals) {
  const auto now = options_.now();
  if (!failures_.allows(now)) return false;
  if (refusals.allows(now)) return true;
  failures_.not_tried(now);
  return false;
}

/// Returns the result of a call of the tier; nothing if it fails or has failed a short time ago.
template <class Call>
auto RemoteCache::ask(CircuitBreaker& refusals, const Call& call)
    -> std::optional<typename decltype(call())::value_type> {
  if (!allows(refusals)) return std::nullopt;
  auto answer = call();
  if (!answer) {
    give_up(refusals, answer.error());
    return std::nullopt;
  }
  refusals.succeeded();
  failures_.succeeded();
  slow_calls_ = 0;
  return *std::move(answer);
}

void RemoteCache::give_up(CircuitBreaker& refusals, const Error& error) {
  const auto now = options_.now();
  const bool refuses = error.code == ErrorCode::kUnsupported;
  if (refuses) failures_.succeeded();
  if (!refuses) refusals.not_tried(now);
  if (is_one_slow_call(error)) return failures_.not_tried(now);
  if (!(refuses ? refusals : failures_).failed(now)) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options_.back_off).count();
  warn("the remote cache '" + options_.name + "' is not used for " + std::to_string(seconds) + " s (" + error.message +
       "). Builds go on without it; check the server.");
}

/// Returns true if a slow call is not yet a failure of the tier. On a busy network some transfers are too slow; each is
/// a miss. If none succeeds, waiting costs more than the entries are worth.
bool RemoteCache::is_one_slow_call(const Error& error) {
  if (!error.note(kSlowStoreNote)) return false;
  if (++slow_calls_ < kMaxSlowCalls) return true;
  slow_calls_ = 0;
  return false;
}

std::optional<CacheEntry> RemoteCache::find(const std::string& key, const IncludeFolders& folders) {
  const auto bytes = ask(get_refusals_, [&] { return options_.tier->get(key); });
  if (!bytes || !*bytes) return std::nullopt;
  const RemoteValue value = read_remote_bytes(key, **bytes, options_.secret);
  for (const std::string& why : value.refused) refuse(key, why);
  for (const PackedEntry& entry : value.entries) {
    if (std::optional<CacheEntry> found = usable(key, entry, folders)) return found;
  }
  return std::nullopt;
}

std::optional<CacheEntry> RemoteCache::usable(const std::string& key, const PackedEntry& entry,
                                              const IncludeFolders& folders) {
  EntryReading reading = read_entry(entry, folders);
  if (reading.outcome == EntryReading::Outcome::kGood) return std::move(reading.entry);
  if (reading.outcome == EntryReading::Outcome::kDamaged) refuse(key, reading.reason);
  return std::nullopt;
}

RemoteCache::Turn RemoteCache::take_turn(const std::string& key, std::chrono::milliseconds patience) {
  if (std::optional<CacheEntry> found = find(key)) return {std::move(found), nullptr};
  const std::string holder = unique_id();
  if (!writable() || holder.empty()) return {};
  if (std::optional<Turn> turn = try_turn(key, holder)) return *std::move(turn);
  return fruitless_waits_.allows(options_.now()) ? wait_for_turn(key, holder, patience) : Turn{};
}

/// Returns the turn if it can be taken now; nothing while another node builds the entry.
std::optional<RemoteCache::Turn> RemoteCache::try_turn(const std::string& key, const std::string& holder) {
  const std::optional<bool> had = try_lease(key, holder);
  if (!had) return Turn{};
  Turn turn{.lease = *had ? hold(key, holder) : nullptr};
  turn.entry = find(key);  // it may have been stored since
  if (turn.entry) turn.lease.reset();
  if (!turn.entry && turn.lease == nullptr) return std::nullopt;
  return turn;
}

/// A server that reports every lease as taken must not cause a full wait for every key.
RemoteCache::Turn RemoteCache::wait_for_turn(const std::string& key, const std::string& holder,
                                             std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  for (auto pause = kFirstLeasePause; Clock::now() < end; pause = std::min(2 * pause, kLongestLeasePause)) {
    std::this_thread::sleep_for(pause);
    std::optional<Turn> turn = try_turn(key, holder);
    if (!turn) continue;
    fruitless_waits_.succeeded();
    return *std::move(turn);
  }
  if (fruitless_waits_.failed(options_.now())) {
    warn("another node has been making entry '" + key + "' of the remote cache '" + options_.name +
         "' for too long. This one makes it, too, and does not wait for others for some minutes.");
  }
  return {};
}

std::optional<bool> RemoteCache::try_lease(const std::string& key, const std::string& holder) {
  return ask(store_refusals_, [&] { return options_.tier->lease(key, holder, options_.lease_time); });
}

/// Creates a lease. Its calls are small and bypass the breakers: if a lease expired because a large value was slow, the
/// fleet would build everything twice.
std::unique_ptr<RemoteLease> RemoteCache::hold(const std::string& key, const std::string& holder) {
  const auto renew = [this, key, holder] { (void)options_.tier->lease(key, holder, options_.lease_time); };
  const auto release = [this, key, holder] { (void)options_.tier->release(key, holder); };
  const auto renewer = renewer_->is_forked() ? LeaseRenewer::of_process() : renewer_;
  return std::make_unique<RemoteLease>(renewer, renew, options_.renew_every, release);
}

void RemoteCache::store(const PackedEntry& entry) {
  if (!writable()) return;
  const auto old = ask(get_refusals_, [&] { return options_.tier->get(entry.key); });
  std::vector<PackedEntry> entries = {entry};
  if (old && *old) {
    for (PackedEntry& other : read_remote_bytes(entry.key, **old, options_.secret).entries) {
      if (other.second != entry.second) entries.push_back(std::move(other));
    }
  }
  const std::string bytes = to_remote_bytes(entries, options_.secret);
  if (bytes.empty()) {
    return warn("an artifact is not put into the remote cache '" + options_.name + "' (it has more than " +
                std::to_string(kMaxRemoteBytes >> 20) + " MiB).");
  }
  ask(store_refusals_, [&] { return options_.tier->put(entry.key, bytes); });
}

bool CircuitBreaker::allows(Clock::time_point now) {
  Clock::rep when = try_again_.load();
  if (when == 0) return true;
  return ticks(now) >= when && try_again_.compare_exchange_strong(when, ticks(now + back_off_));
}

void CircuitBreaker::succeeded() {
  if (try_again_.load(std::memory_order_relaxed) != 0) try_again_.store(0);
}

void CircuitBreaker::not_tried(Clock::time_point now) {
  if (Clock::rep when = try_again_.load(); when > ticks(now)) try_again_.compare_exchange_strong(when, ticks(now));
}

bool CircuitBreaker::failed(Clock::time_point now) {
  try_again_.store(ticks(now + back_off_));
  Clock::rep when = warn_again_.load();
  return ticks(now) >= when && warn_again_.compare_exchange_strong(when, ticks(now + back_off_));
}

LogLimit::Verdict LogLimit::judge(const std::string& line, Clock::time_point now) {
  const std::unique_lock guard(mutex_, std::try_to_lock);  // in a forked child, a thread of the parent may hold it
  if (!guard) return Verdict::kDrop;
  if (now >= end_) {
    lines_.clear();
    end_ = now + period_;
  }
  if (lines_.size() >= kMaxLines || !lines_.insert(line).second) return Verdict::kDrop;
  return lines_.size() == kMaxLines ? Verdict::kLogAsLast : Verdict::kLog;
}

}  // namespace kmux
