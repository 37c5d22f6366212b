#include "artifact_cache.h"

#include "key_lock.h"
#include "publisher.h"
#include "single_flight.h"

namespace kmux {
namespace {

constexpr std::size_t kEntriesPerKey = 16;
constexpr auto kPatienceOfPrune = std::chrono::seconds(5);

/// A negative entry is the error that was stored.
Result<CacheEntry> as_result(CacheEntry entry) {
  if (entry.unsupported) return *std::move(entry.unsupported);
  return entry;
}

/// What to store of an outcome, or nothing.
std::optional<CacheEntry> to_store(const Result<CacheEntry>& outcome) {
  if (outcome) return *outcome;
  if (outcome.error().code != ErrorCode::kUnsupported) return std::nullopt;
  return CacheEntry{.unsupported = outcome.error()};
}

}  // namespace

struct ArtifactCache::State {
  explicit State(CacheOptions given) : options(std::move(given)) {
    options.folder = std::filesystem::absolute(options.folder).lexically_normal();
    if (options.remote) remote.emplace(*std::move(options.remote), options.log);
  }

  Status open() {
    KMUX_TRY(open_store());
    for (const std::filesystem::path& path : options.read_only) open_read_only(path);
    if (why_read_only) {
      log("nothing is stored: " + *why_read_only);
    } else if (!options.lock_folder.empty()) {
      open_locks();
    }
    return Ok{};
  }

  Status open_store() {
    Result<CacheFolder> opened = CacheFolder::open(options.folder, CacheFolder::Access::kReadWrite);
    if (!opened && opened.error().code != ErrorCode::kUnavailable) return std::move(opened).error();
    if (!opened) {
      why_read_only = opened.error().message;
      return Ok{};
    }
    if (!opened->writable()) why_read_only = "folder '" + options.folder.string() + "' cannot be written to.";
    tiers.emplace_back(*std::move(opened), options.log);
    has_own = true;
    return Ok{};
  }

  void log(const std::string& text) const {
    if (options.log) options.log(text);
  }

  void open_read_only(const std::filesystem::path& path) {
    Result<CacheFolder> opened = CacheFolder::open(path, CacheFolder::Access::kReadOnly);
    if (!opened) return log(opened.error().message);
    tiers.emplace_back(*std::move(opened), options.log);
  }

  void open_locks() {
    const Status status = make_private_folder(options.lock_folder);
    if (!status) return log(status.error().message);
    lock_file = options.lock_folder / "locks";
  }

  /// One file serves all caches of a user.
  std::optional<KeyLock> lock(const std::string& name, std::chrono::milliseconds timeout) const {
    if (lock_file.empty()) return std::nullopt;
    return KeyLock::acquire(lock_file, options.folder.string() + '\n' + name, timeout);
  }

  /// The store of `folder`, or null.
  const EntryStore* own() const { return has_own ? &tiers.front() : nullptr; }

  std::optional<CacheEntry> find_on_disk(const CacheKey& key) const {
    if (!is_digest(key.digest)) return std::nullopt;
    for (const EntryStore& tier : tiers) {
      if (std::optional<CacheEntry> found = tier.find(key.digest)) return found;
    }
    return std::nullopt;
  }

  std::optional<CacheEntry> find(const CacheKey& key) {
    std::optional<CacheEntry> found = find_on_disk(key);
    if (found || !remote || !is_digest(key.digest)) return found;
    const FileTime began = file_time_now();
    found = remote->find(key.digest);
    if (found) add({.key = key, .entry = *found, .began = began, .from_remote = true});
    return found;
  }

  RemoteCache::Turn take_remote_turn(const CacheKey& key) {
    if (!remote || !is_digest(key.digest)) return {};
    return remote->take_turn(key.digest, options.lock_timeout);
  }

  /// The leader's part of `find_or_make`.
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make, const std::shared_ptr<Flight>& flight) {
    if (std::optional<CacheEntry> found = find_on_disk(key)) return as_result(*std::move(found));
    std::optional<KeyLock> held = lock(key.digest, options.lock_timeout);
    if (held) {  // perhaps another process made it while this one waited
      if (std::optional<CacheEntry> found = find_on_disk(key)) return as_result(*std::move(found));
    }
    FileTime began = file_time_now();
    RemoteCache::Turn turn = take_remote_turn(key);
    const bool from_remote = turn.entry.has_value();
    if (!from_remote) began = file_time_now();
    Result<CacheEntry> outcome = from_remote ? as_result(*std::move(turn.entry)) : make();
    if (std::optional<CacheEntry> entry = to_store(outcome)) {
      add({.key = key,
           .entry = *std::move(entry),
           .began = began,
           .lock = std::move(held),
           .flight = flight,
           .lease = std::move(turn.lease),
           .from_remote = from_remote});
    }
    return outcome;
  }

  void add(Publication publication) {
    const bool has_place = !why_read_only || (remote && remote->writable() && !publication.from_remote);
    if (has_place && is_digest(publication.key.digest)) publisher.add(std::move(publication));
  }

  void publish(Publication& publication) {
    const Result<PackedEntry> packed = pack_entry(publication.key, publication.entry, publication.began);
    if (packed && !why_read_only) store(*packed);
    if (packed && remote && !publication.from_remote) remote->store(*packed);
    if (!packed) log("an artifact is not kept: " + packed.error().message);
    publication.lease.reset();  // now, as that takes a while
  }

  void store(const PackedEntry& packed) const {
    const EntryStore& store = *own();
    const Status status = store.store(packed);
    if (!status) log("an artifact is not kept: " + status.error().message);
    trim_key(store.folder(), packed.key, kEntriesPerKey);
    if (sweep_is_due(store.folder(), options.sweep_interval)) sweep_alone(store.folder());
  }

  /// Without locks several processes may sweep: a waste of time, no harm.
  void sweep_alone(const CacheFolder& folder) const {
    const std::optional<KeyLock> held = lock("sweep", std::chrono::milliseconds(0));
    if (!held && !lock_file.empty()) return;
    sweep(folder, {.max_bytes = options.max_bytes, .max_age = options.max_age, .min_idle = options.min_idle});
  }

  CacheOptions options;
  std::vector<EntryStore> tiers = {};              // in the order they are asked
  bool has_own = false;  // the first tier is that of `folder`
  std::optional<std::string> why_read_only = {};  // or nothing is stored
  std::filesystem::path lock_file = {};  // empty: no locks
  std::optional<RemoteCache> remote = {};
  SingleFlight flights = {};
  // The last member: its thread uses the others.
  Publisher publisher{[this](Publication& publication) { publish(publication); }};
};

ArtifactCache::ArtifactCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArtifactCache::~ArtifactCache() = default;

Result<std::shared_ptr<ArtifactCache>> ArtifactCache::open(CacheOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  KMUX_TRY(state->open());
  return std::shared_ptr<ArtifactCache>(new ArtifactCache(std::move(state)));
}

std::optional<CacheEntry> ArtifactCache::find(const CacheKey& key) const { return state_->find(key); }

Result<CacheEntry> ArtifactCache::find_or_make(const CacheKey& key, const Make& make) {
  const SingleFlight::Seat seat = state_->flights.board(key.digest);
  if (!seat.leads) return seat.flight->wait();
  try {
    return seat.flight->land(state_->find_or_make(key, make, seat.flight));
  } catch (...) {
    seat.flight->land(make_error(ErrorCode::kInternal, "the build that this one waited for was broken off."));
    throw;
  }
}

void ArtifactCache::publish(const CacheKey& key, CacheEntry entry, FileTime began) {
  state_->add({.key = key, .entry = std::move(entry), .began = began});
}

void ArtifactCache::forget(const CacheKey& key) {
  flush();  // what is on its way would come back
  if (!state_->why_read_only && is_digest(key.digest)) trim_key(state_->own()->folder(), key.digest, 0);
}

void ArtifactCache::flush() { state_->publisher.flush(); }

std::uint64_t ArtifactCache::max_bytes() const { return state_->options.max_bytes; }

const std::filesystem::path& ArtifactCache::folder() const { return state_->options.folder; }

std::optional<std::string> ArtifactCache::why_read_only() const { return state_->why_read_only; }

std::vector<StoredEntry> ArtifactCache::list() const {
  const EntryStore* own = state_->own();
  return own != nullptr ? own->list() : std::vector<StoredEntry>{};
}

std::vector<DamagedEntry> ArtifactCache::verify() const {
  const EntryStore* own = state_->own();
  return own != nullptr ? own->verify() : std::vector<DamagedEntry>{};
}

Result<Staging::Outcome> ArtifactCache::add(const PackedEntry& packed) const {
  if (const std::optional<std::string> why = why_read_only()) {
    return make_error(ErrorCode::kUnavailable, "cannot add to the cache. " + *why);
  }
  return unpack_entry(state_->own()->folder(), packed);
}

Result<SweepReport> ArtifactCache::prune(const SweepLimits& limits) const {
  if (const std::optional<std::string> why = why_read_only()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache. " + *why);
  }
  const std::optional<KeyLock> held = state_->lock("sweep", kPatienceOfPrune);
  if (!held && !state_->lock_file.empty()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (another process is at it). Try again later.");
  }
  return sweep(state_->own()->folder(), limits);
}

}  // namespace kmux
