#include "artifact_cache.h"

#include "kmux/guarded.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "base/json_text.h"
#include "cache/disk/key_lock.h"
#include "lock_patience.h"
#include "publisher.h"

namespace kmux {

namespace {

constexpr std::size_t kEntriesPerKey = 16;
constexpr std::size_t kEntriesPerSharedKey = 64;  // several checkouts, each with its edits
constexpr auto kPatienceOfPrune = std::chrono::seconds(5);

/// Converts `entry`, of a build or look-up that began at `began`, to an outcome. A negative entry becomes the stored
/// error.
BuildOutcome outcome_of(CacheEntry entry, FileTime began) {
  if (entry.unsupported) return {*std::move(entry.unsupported), began};
  entry.began = began;
  return {std::move(entry), began};
}

/// Returns the entry to store for an outcome, or nothing.
std::optional<CacheEntry> to_store(const BuildOutcome& outcome) {
  if (outcome.result) return *outcome.result;
  if (outcome.result.error().code != ErrorCode::kUnsupported) return std::nullopt;
  return CacheEntry{.unsupported = outcome.result.error(), .began = outcome.began};
}

/// Returns true if a result of `began` is still current. Returns false if that cannot be determined.
bool is_up_to_date(const Result<Dependencies>& dependencies, FileTime began) {
  return dependencies && capture(*dependencies, began, FileContents::kLeft).ok();
}

bool is_up_to_date(const BuildOutcome& outcome) {
  if (outcome.result) return is_up_to_date(dependencies_of(*outcome.result), outcome.began);
  // The files that a failed build has read are unknown.
  const Error& error = outcome.result.error();
  return error.code == ErrorCode::kUnsupported && is_up_to_date(dependencies_of(error), outcome.began);
}

constexpr int kNoteSchema = 1;  // raise it when a note gets another meaning
constexpr const char* kNotePart = "note.json";

}  // namespace

struct ArtifactCache::State {
  explicit State(CacheOptions given) : options(std::move(given)) {
    if (!options.folder.empty()) options.folder = absolute_path(options.folder);
    takes_unauthenticated = !options.remote || options.remote->secret.empty();
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
    if (options.folder.empty()) {
      why_read_only = kNoFolder;
      return Ok{};
    }
    Result<CacheFolder> opened =
        CacheFolder::open(options.folder, CacheFolder::Access::kReadWrite,
                          options.is_of_group ? CacheFolder::Sharing::kGroup : CacheFolder::Sharing::kUser);
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

  void tell(const std::string& text) const {
    if (options.tell) options.tell(text);
  }

  void open_read_only(const std::filesystem::path& path) {
    Result<CacheFolder> opened = CacheFolder::open(path, CacheFolder::Access::kReadOnly);
    if (!opened) return log(opened.error().message);
    tiers.emplace_back(*std::move(opened), options.log);
  }

  void open_locks() {
    const Status status = make_private_folder(options.lock_folder);
    if (!status) return log(status.error().message);
    locks.emplace(options.lock_folder / "locks");
  }

  /// Acquires the lock `name` of this folder. One file of locks serves all caches of a user.
  std::shared_ptr<KeyLocks::Held> lock(const std::string& name, std::chrono::milliseconds timeout) {
    if (!locks) return nullptr;
    const LockPatience patience([this](const std::string& text) { tell(text); },
                                [this](const std::string& text) { log(text); });
    std::optional<KeyLocks::Held> held = locks->acquire(options.folder.string() + '\n' + name, timeout, patience);
    return held ? std::make_shared<KeyLocks::Held>(*std::move(held)) : nullptr;
  }

  /// Returns the store of `folder`, or null.
  const EntryStore* own() const { return has_own ? &tiers.front() : nullptr; }

  std::optional<CacheEntry> find_on_disk(const CacheKey& key) const {
    if (!is_digest(key.digest)) return std::nullopt;
    std::optional<CacheEntry> found = find_under(key);
    if (!found && takes_unauthenticated) found = find_under(unauthenticated_key(key));
    return found;
  }

  std::optional<CacheEntry> find_under(const CacheKey& key) const {
    for (const EntryStore& tier : tiers) {
      if (std::optional<CacheEntry> found = tier.find(key.digest)) return found;
      if (key.shared_digest.empty()) continue;
      if (std::optional<CacheEntry> found = tier.find(key.shared_digest, key.folders)) return found;
    }
    return std::nullopt;
  }

  /// Returns an entry from any machine of the fleet.
  std::optional<CacheEntry> find_remote(const CacheKey& key) {
    std::optional<CacheEntry> found = remote->find(key.digest);
    if (!found && !key.shared_digest.empty()) found = remote->find(key.shared_digest, key.folders);
    return found;
  }

  /// Returns an entry from this process or another one on this machine.
  std::optional<CacheEntry> find_here(const CacheKey& key) const {
    const std::shared_ptr<const UnpublishedEntry> latest = unpublished.find(key.digest);
    if (latest && is_up_to_date(dependencies_of(latest->entry), latest->entry.began)) return latest->entry;
    const FileTime began = file_time_now();
    std::optional<CacheEntry> found = find_on_disk(key);
    if (found) found->began = began;
    return found;
  }

  std::optional<CacheEntry> find(const CacheKey& key) {
    std::optional<CacheEntry> found = find_here(key);
    if (found || !remote || !is_digest(key.digest)) return found;
    const FileTime began = file_time_now();
    found = find_remote(key);
    if (!found) return found;
    found->began = began;
    add({.key = key, .entry = *found, .began = began, .from_remote = true});
    return found;
  }

  RemoteCache::Turn take_remote_turn(const CacheKey& key) {
    if (!remote || !is_digest(key.digest)) return {};
    if (!key.shared_digest.empty()) {
      if (std::optional<CacheEntry> found = remote->find(key.shared_digest, key.folders))
        return {std::move(found), nullptr};
    }
    return remote->take_turn(key.digest, options.lock_timeout);
  }

  /// Joins a running build, or leads one. A build begun before this call is shared only if nothing that it depends on
  /// has changed since. A later build is shared as it is, including failures. So no caller waits for more than two
  /// builds.
  CacheTurn take_turn(ArtifactCache& cache, const CacheKey& key) {
    CacheTurn turn;
    const std::uint64_t begun_before = builds.count();
    for (;;) {
      SingleFlight::Turn flight = builds.join(key.digest);
      if (flight.leads) {
        turn.cache_ = &cache;
        turn.key_ = &key;
        turn.build_ = std::move(flight.build);
        lead(turn);
        return turn;
      }
      const BuildOutcome& shared = flight.build->wait();
      if (flight.build->number() <= begun_before && !is_up_to_date(shared)) continue;
      turn.outcome_ = shared;
      return turn;
    }
  }

  /// Completes the turn with an entry that exists. Leaves it to its holder, with the locks of its build, if none does.
  void lead(CacheTurn& turn) {
    const CacheKey& key = *turn.key_;
    if (std::optional<CacheEntry> found = find_here(key)) return complete(turn, outcome_of(*found, found->began));
    // An outdated entry of this process that is still queued for publication holds the lock: other processes wait for
    // both entries.
    const std::shared_ptr<const UnpublishedEntry> outdated = unpublished.find(key.digest);
    turn.lock_ = outdated ? outdated->lock : lock(key.digest, options.lock_timeout);
    if (turn.lock_ && !outdated) {  // another process may have built it while this one waited
      if (std::optional<CacheEntry> found = find_here(key)) return complete(turn, outcome_of(*found, found->began));
    }
    const FileTime began = file_time_now();
    // This process also holds its lease: waiting for the lease would mean waiting for the disk.
    RemoteCache::Turn remote_turn = outdated ? RemoteCache::Turn{} : take_remote_turn(key);
    turn.lease_ = std::move(remote_turn.lease);
    if (remote_turn.entry) return finish(turn, outcome_of(*std::move(remote_turn.entry), began), true);
    turn.began_ = file_time_now();
  }

  void finish(CacheTurn& turn, BuildOutcome outcome, bool from_remote) {
    if (std::optional<CacheEntry> entry = to_store(outcome)) {
      add_unpublished({.key = *turn.key_,
                       .entry = *std::move(entry),
                       .began = outcome.began,
                       .lease = std::move(turn.lease_),
                       .from_remote = from_remote},
                      std::move(turn.lock_));
    }
    complete(turn, std::move(outcome));
  }

  void complete(CacheTurn& turn, BuildOutcome outcome) {
    turn.lock_.reset();
    turn.lease_.reset();
    turn.outcome_ = builds.complete(turn.key_->digest, *std::exchange(turn.build_, nullptr), std::move(outcome));
  }

  /// Publishes an entry in the background. Until it is on disk, this process finds it in `unpublished`.
  void add_unpublished(Publication publication, std::shared_ptr<KeyLocks::Held> held) {
    if (!is_stored(publication)) return;
    publication.unpublished =
        std::make_shared<const UnpublishedEntry>(UnpublishedEntry{publication.entry, std::move(held)});
    unpublished.add(publication.key.digest, publication.unpublished);
    publisher.add(std::move(publication));
  }

  bool is_stored(const Publication& publication) const {
    const bool has_place = !why_read_only || (remote && remote->writable() && !publication.from_remote);
    return has_place && is_digest(publication.key.digest);
  }

  void add(Publication publication) {
    if (is_stored(publication)) publisher.add(std::move(publication));
  }

  void publish(Publication& publication) {
    if (publication.from_remote && takes_unauthenticated) publication.key = unauthenticated_key(publication.key);
    const Result<PackedEntry> packed = pack_entry(publication.key, publication.entry, publication.began);
    const bool is_shared = packed && packed->key == publication.key.shared_digest;
    if (packed && !why_read_only) store(*packed, is_shared ? kEntriesPerSharedKey : kEntriesPerKey);
    if (packed && remote && !publication.from_remote) remote->store(*packed);
    if (!packed) log("an artifact is not cached: " + packed.error().message);
    publication.lease.reset();  // not later with the publication, as releasing takes a while
  }

  void store(const PackedEntry& packed, std::size_t entries_per_key) {
    const EntryStore& store = *own();
    const Status status = store.store(packed);
    if (!status) log("an artifact is not cached: " + status.error().message);
    trim_key(store.folder(), packed.key, entries_per_key);
    if (sweep_is_due(store.folder(), options.sweep_interval)) sweep_alone(store.folder());
  }

  /// Sweeps unless another process does. Without locks several may sweep at once, which is harmless.
  void sweep_alone(const CacheFolder& folder) {
    const std::shared_ptr<KeyLocks::Held> held = lock("sweep", std::chrono::milliseconds(0));
    if (!held && locks) return;
    sweep(folder, {.max_bytes = options.max_bytes, .max_age = options.max_age, .min_idle = options.min_idle});
  }

  CacheOptions options;
  std::vector<EntryStore> tiers = {};  // in query order
  bool has_own = false;  // the first tier is that of `folder`
  std::optional<std::string> why_read_only = {};  // or nothing is stored
  bool takes_unauthenticated = true;  // accepts entries of a server without a key, as this process has no key
  std::optional<KeyLocks> locks = {};  // or no locks
  std::optional<RemoteCache> remote = {};
  SingleFlight builds = {};
  Unpublished unpublished = {};
  // The last member: its thread uses the others.
  Publisher publisher{[this](Publication& publication) { publish(publication); }, options.log};
};

ArtifactCache::ArtifactCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArtifactCache::~ArtifactCache() = default;

Result<std::shared_ptr<ArtifactCache>> ArtifactCache::open(CacheOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  KMUX_TRY(state->open());
  return std::shared_ptr<ArtifactCache>(new ArtifactCache(std::move(state)));
}

std::optional<CacheEntry> ArtifactCache::find(const CacheKey& key) const { return state_->find(key); }
std::optional<CacheEntry> ArtifactCache::find_here(const CacheKey& key) const { return state_->find_here(key); }

CacheTurn ArtifactCache::take_turn(const CacheKey& key) { return state_->take_turn(*this, key); }

Result<CacheEntry> CacheTurn::finish(Result<CacheEntry> made) {
  if (made) made->began = began_;
  cache_->state_->finish(*this, {std::move(made), began_}, false);
  return std::move(outcome_->result);
}

CacheTurn::~CacheTurn() {
  if (build_ == nullptr) return;
  auto ended = guarded([]() -> Status {
    return make_error(ErrorCode::kInternal, "the build that this one waited for ended by an exception. Try again.");
  });
  cache_->state_->builds.complete(key_->digest, *build_, {std::move(ended).error(), 0});
}

void ArtifactCache::publish(const CacheKey& key, CacheEntry entry, FileTime began) {
  state_->add({.key = key, .entry = std::move(entry), .began = began});
}

void ArtifactCache::forget(const CacheKey& key) {
  flush();  // otherwise a queued entry would be published again
  if (state_->why_read_only || !is_digest(key.digest)) return;
  for (const CacheKey& one : {key, unauthenticated_key(key)}) {
    trim_key(state_->own()->folder(), one.digest, 0);
    if (!one.shared_digest.empty()) trim_key(state_->own()->folder(), one.shared_digest, 0);
  }
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
  const std::shared_ptr<KeyLocks::Held> held = state_->lock("sweep", kPatienceOfPrune);
  if (!held && state_->locks) {
    return make_error(ErrorCode::kUnavailable, "cannot prune the cache (another process is at it). Try again later.");
  }
  return sweep(state_->own()->folder(), limits);
}

CacheKey note_key(const std::string& kind, Json::Object parts) {
  parts.emplace("kind", kind);
  parts.emplace("schema", kNoteSchema);
  CacheKey key;
  key.parts = std::move(parts);
  key.digest = sha256_hex(dump(key.parts));
  return key;
}

std::optional<Json> find_note(const ArtifactCache* cache, const CacheKey& key) {
  const std::optional<CacheEntry> entry = cache == nullptr ? std::nullopt : cache->find(key);
  const std::string* text = entry ? entry->artifact.find(kNotePart) : nullptr;
  Result<Json> note = text == nullptr ? Result<Json>(Json()) : read_json(*text);
  if (!note || note->is_null()) return std::nullopt;
  return *std::move(note);
}

void store_note(ArtifactCache* cache, const CacheKey& key, const Json& note, bool replaces) {
  if (cache == nullptr) return;
  if (replaces) cache->forget(key);
  cache->publish(key, {.artifact = Artifact{{{kNotePart, dump(note)}}}}, file_time_now());
}

}  // namespace kmux
