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
  State(CacheOptions given, CacheFolder opened) : options(std::move(given)), store(std::move(opened), options.log) {
    for (const std::filesystem::path& path : options.read_only) open_read_only(path);
    if (store.folder().writable() && !options.lock_folder.empty()) open_locks();
  }

  void log(const std::string& text) const {
    if (options.log) options.log(text);
  }

  void open_read_only(const std::filesystem::path& path) {
    Result<CacheFolder> opened = CacheFolder::open(path, CacheFolder::Access::kReadOnly);
    if (!opened) return log(opened.error().message);
    read_only.emplace_back(*std::move(opened), options.log);
  }

  void open_locks() {
    const Status status = make_private_folder(options.lock_folder);
    if (!status) return log(status.error().message);
    lock_file = options.lock_folder / "locks";
  }

  /// One file serves all caches of a user.
  std::optional<KeyLock> lock(const std::string& name, std::chrono::milliseconds timeout) const {
    if (lock_file.empty()) return std::nullopt;
    return KeyLock::acquire(lock_file, store.folder().path().string() + '\n' + name, timeout);
  }

  std::optional<CacheEntry> find(const CacheKey& key) const {
    if (!is_digest(key.digest)) return std::nullopt;
    if (std::optional<CacheEntry> found = store.find(key.digest)) return found;
    for (const EntryStore& tier : read_only) {
      if (std::optional<CacheEntry> found = tier.find(key.digest)) return found;
    }
    return std::nullopt;
  }

  /// The leader's part of `find_or_make`.
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make, const std::shared_ptr<Flight>& flight) {
    if (std::optional<CacheEntry> found = find(key)) return as_result(*std::move(found));
    std::optional<KeyLock> held = lock(key.digest, options.lock_timeout);
    if (held) {  // perhaps another process made it while this one waited
      if (std::optional<CacheEntry> found = find(key)) return as_result(*std::move(found));
    }
    const FileTime began = file_time_now();
    Result<CacheEntry> made = make();
    if (std::optional<CacheEntry> entry = to_store(made)) {
      add({.key = key, .entry = *std::move(entry), .began = began, .lock = std::move(held), .flight = flight});
    }
    return made;
  }

  void add(Publication publication) {
    if (store.folder().writable() && is_digest(publication.key.digest)) publisher.add(std::move(publication));
  }

  void publish(const Publication& publication) const {
    const Status status = store.store(publication.key, publication.entry, publication.began);
    if (!status) log("an artifact is not kept: " + status.error().message);
    trim_key(store.folder(), publication.key.digest, kEntriesPerKey);
    if (sweep_is_due(store.folder(), options.sweep_interval)) sweep_alone();
  }

  /// Without locks several processes may sweep: a waste of time, no harm.
  void sweep_alone() const {
    const std::optional<KeyLock> held = lock("sweep", std::chrono::milliseconds(0));
    if (!held && !lock_file.empty()) return;
    sweep(store.folder(), {.max_bytes = options.max_bytes, .max_age = options.max_age, .min_idle = options.min_idle});
  }

  CacheOptions options;
  EntryStore store;
  std::vector<EntryStore> read_only = {};
  std::filesystem::path lock_file = {};  // empty: no locks
  SingleFlight flights = {};
  // The last member: its thread uses the others.
  Publisher publisher{[this](const Publication& publication) { publish(publication); }};
};

ArtifactCache::ArtifactCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArtifactCache::~ArtifactCache() = default;

Result<std::shared_ptr<ArtifactCache>> ArtifactCache::open(CacheOptions options) {
  KMUX_ASSIGN(CacheFolder folder, CacheFolder::open(options.folder, CacheFolder::Access::kReadWrite));
  auto state = std::make_unique<State>(std::move(options), std::move(folder));
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

void ArtifactCache::flush() { state_->publisher.flush(); }

std::uint64_t ArtifactCache::max_bytes() const { return state_->options.max_bytes; }

const std::filesystem::path& ArtifactCache::folder() const { return state_->store.folder().path(); }

std::optional<std::string> ArtifactCache::why_read_only() const {
  if (state_->store.folder().writable()) return std::nullopt;
  return "folder '" + folder().string() + "' cannot be written to";
}

std::vector<StoredEntry> ArtifactCache::list() const { return state_->store.list(); }

std::vector<DamagedEntry> ArtifactCache::verify() const { return state_->store.verify(); }

Result<SweepReport> ArtifactCache::prune(const SweepLimits& limits) const {
  if (const std::optional<std::string> why = why_read_only()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (" + *why + "). Run as its owner.");
  }
  const std::optional<KeyLock> held = state_->lock("sweep", kPatienceOfPrune);
  if (!held && !state_->lock_file.empty()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (another process is at it). Try again later.");
  }
  return sweep(state_->store.folder(), limits);
}

}  // namespace kmux
