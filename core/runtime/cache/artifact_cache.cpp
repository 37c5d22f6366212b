#include "artifact_cache.h"

#include "cache_folder.h"
#include "entry_files.h"
#include "key_lock.h"
#include "publisher.h"
#include "quarantine.h"
#include "single_flight.h"
#include "staging.h"

namespace kmux {
namespace {

constexpr std::size_t kEntriesPerKey = 16;
constexpr auto kPatienceOfPrune = std::chrono::seconds(5);

/// What a negative entry is when it is met: the error that was stored.
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

Result<Dependencies> dependencies_of(const CacheEntry& entry) {
  if (entry.unsupported) {
    const std::optional<std::string_view> note = entry.unsupported->note(kDependenciesPart);
    return note ? dependencies_from_json(*note) : Dependencies{};
  }
  const std::string* part = entry.artifact.find(kDependenciesPart);
  return part != nullptr ? dependencies_from_json(*part) : Dependencies{};
}

}  // namespace

struct ArtifactCache::State {
  State(CacheOptions given, CacheFolder opened) : options(std::move(given)), cache(std::move(opened)) {}

  CacheOptions options;
  CacheFolder cache;
  std::vector<CacheFolder> read_only = {};
  std::filesystem::path lock_file = {};  // empty: no locks
  SingleFlight flights = {};
  Publisher publisher{[this](const Publication& publication) { publish(publication); }};  // goes first

  void log(const std::string& text) const {
    if (options.log) options.log(text);
  }

  void open_read_only() {
    for (const std::filesystem::path& path : options.read_only) {
      Result<CacheFolder> opened = CacheFolder::open(path, CacheFolder::Access::kReadOnly);
      if (opened) {
        read_only.push_back(*std::move(opened));
      } else {
        log(opened.error().message);
      }
    }
  }

  void open_locks() {
    if (options.lock_folder.empty() || !cache.writable()) return;
    const Status status = make_private_folder(options.lock_folder);
    if (status) {
      lock_file = options.lock_folder / "locks";
    } else {
      log(status.error().message);
    }
  }

  std::optional<KeyLock> lock(const std::string& name, std::chrono::milliseconds timeout) const {
    if (lock_file.empty()) return std::nullopt;
    return KeyLock::acquire(lock_file, cache.path().string() + '\n' + name, timeout);
  }

  std::optional<CacheEntry> find_in(const CacheFolder& folder, const std::string& key) const {
    for (const EntryLocation& location : folder.entries_of(key)) {
      EntryReading reading = read_entry(location, EntryCheck::kDependencies);
      if (reading.outcome == EntryReading::Outcome::kGood) {
        if (folder.writable()) touch(reading);
        return std::move(reading.entry);
      }
      if (reading.outcome == EntryReading::Outcome::kDamaged) refuse(folder, location, reading);
    }
    return std::nullopt;
  }

  void refuse(const CacheFolder& folder, const EntryLocation& location, const EntryReading& reading) const {
    log("cache entry '" + location.folder.string() + "' is damaged (" + reading.reason + ") and not used.");
    put_into_quarantine(folder, location.folder, reading.folder);
  }

  std::optional<CacheEntry> find(const CacheKey& key) const {
    if (!is_digest(key.digest)) return std::nullopt;
    if (std::optional<CacheEntry> found = find_in(cache, key.digest)) return found;
    for (const CacheFolder& folder : read_only) {
      if (std::optional<CacheEntry> found = find_in(folder, key.digest)) return found;
    }
    return std::nullopt;
  }

  /// The leader's part of `find_or_make`.
  Result<CacheEntry> find_or_make(const CacheKey& key, const Make& make, const std::shared_ptr<Flight>& flight) {
    if (std::optional<CacheEntry> found = find(key)) return as_result(*std::move(found));
    std::optional<KeyLock> held = lock(key.digest, options.lock_timeout);
    if (held) {  // perhaps somebody else made it while this process waited
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
    if (cache.writable() && is_digest(publication.key.digest)) publisher.add(std::move(publication));
  }

  void publish(const Publication& publication) const {
    if (const Status status = store(publication); !status) {
      log("an artifact is not stored: " + status.error().message);
    }
    trim_key(cache, publication.key.digest, kEntriesPerKey);
    if (!sweep_is_due(cache, options.sweep_interval)) return;
    // With locks one process sweeps; without them several may, which costs time alone.
    const std::optional<KeyLock> held = lock("sweep", std::chrono::milliseconds(0));
    if (held || lock_file.empty()) {
      sweep(cache, {.max_bytes = options.max_bytes, .max_age = options.max_age, .min_idle = options.min_idle});
    }
  }

  Status store(const Publication& publication) const {
    KMUX_ASSIGN(const Dependencies dependencies, dependencies_of(publication.entry));
    KMUX_ASSIGN(const DependencyState state, capture(dependencies, publication.began));
    KMUX_ASSIGN(Staging staging, Staging::make(cache));
    KMUX_TRY(write_entry(staging, publication.key, publication.entry, state));
    const std::string& key = publication.key.digest;
    KMUX_TRY(staging.publish(cache.entry(key, second_digest(key, state)).folder));
    return Ok{};
  }
};

ArtifactCache::ArtifactCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArtifactCache::~ArtifactCache() = default;

Result<std::shared_ptr<ArtifactCache>> ArtifactCache::open(CacheOptions options) {
  KMUX_ASSIGN(CacheFolder cache, CacheFolder::open(options.folder, CacheFolder::Access::kReadWrite));
  auto state = std::make_unique<State>(std::move(options), std::move(cache));
  state->open_read_only();
  state->open_locks();
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

const std::filesystem::path& ArtifactCache::folder() const { return state_->cache.path(); }

std::optional<std::string> ArtifactCache::why_read_only() const {
  if (state_->cache.writable()) return std::nullopt;
  return "folder '" + folder().string() + "' cannot be written to";
}

std::vector<StoredEntry> ArtifactCache::list() const {
  std::vector<StoredEntry> entries;
  for (const EntryLocation& location : state_->cache.entries()) {
    const std::optional<EntryManifest> manifest = read_manifest(location);
    if (!manifest) continue;
    entries.push_back({.key = location.key,
                       .second = location.second,
                       .folder = location.folder,
                       .parts = manifest->parts,
                       .bytes = bytes_on_disk(location.folder),
                       .created_ns = manifest->created_ns,
                       .used_ns = last_used(location),
                       .negative = manifest->unsupported.has_value()});
  }
  return entries;
}

std::vector<DamagedEntry> ArtifactCache::verify() const {
  std::vector<DamagedEntry> damaged;
  for (const EntryLocation& location : state_->cache.entries()) {
    const EntryReading reading = read_entry(location, EntryCheck::kDigests);
    if (reading.outcome != EntryReading::Outcome::kDamaged) continue;
    state_->refuse(state_->cache, location, reading);
    damaged.push_back({location.folder, reading.reason});
  }
  return damaged;
}

Result<SweepReport> ArtifactCache::prune(const SweepLimits& limits) const {
  if (const std::optional<std::string> why = why_read_only()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (" + *why + "). Run as its owner.");
  }
  const std::optional<KeyLock> held = state_->lock("sweep", kPatienceOfPrune);
  if (!held && !state_->lock_file.empty()) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (another process is at it). Try again later.");
  }
  return sweep(state_->cache, limits);
}

}  // namespace kmux
