#include "backend_history.h"

#include <fstream>
#include <set>
#include <utility>

#include "kmux/plugin/platform.h"
#include "kmux/plugin/plugin.h"
#include "kmux/version.h"

#include "base/immortal.h"
#include "cache/artifact_cache.h"
#include "isolation/failed_calls.h"
#include "isolation/isolated_plugins.h"
#include "plugins/plugin_search.h"
#include "system/compile_scope.h"
#include "system/fork_guard.h"

namespace kmux {

Blame blame_of(const Error& error) {
  if (error.note("worker") == kKilledWorker) return Blame::kNobody;
  switch (error.code) {
    case ErrorCode::kCompileFailed:
      return error.note("worker") ? Blame::kBackend : Blame::kSources;
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimedOut:
    case ErrorCode::kInternal:
      return Blame::kBackend;
    default:
      return Blame::kNobody;
  }
}

void Failures::note(const CandidateKey& key, const Error& error) {
  const Blame blame = blame_of(error);
  if (blame == Blame::kNobody) return;
  const std::lock_guard lock(mutex_);
  const auto now = now_();
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= now; });
  entries_.insert_or_assign(key, Entry{error.message, blame, now + kFailureTime});
}

std::optional<Quarantine> Failures::find(const CandidateKey& key, bool in_background) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || (found->second.blame == Blame::kSources && !in_background)) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(found->second.until - now_());
  if (left <= std::chrono::seconds(0)) return std::nullopt;
  return Quarantine{found->second.reason, left.count()};
}

bool Failures::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

namespace {

constexpr double kWeight = 0.25;  // of the latest compile
constexpr double kMemorable = 2;  // a time within this factor of the stored one is not worth a write

CacheKey key_of(const Manifest& plugin, const std::string& tier) {
  return note_key("compile time", {{"name", "compile time"},
                                   {"plugin", Json::Object{{"name", plugin.name}, {"build_id", plugin.build_id}}},
                                   {"options", Json::Object{{"tier", tier}}}});
}

bool is_far(double ms, std::optional<double> kept) {
  return !kept || ms > *kept * kMemorable || ms * kMemorable < *kept;
}

}  // namespace

CompileTimes::Time& CompileTimes::look_up(const Manifest& plugin, const std::string& tier) {
  const CacheKey key = key_of(plugin, tier);
  Time& time = times_[key.digest];
  if (std::exchange(time.is_looked_up, true)) return time;
  const std::optional<Json> note = find_note(cache_.get(), key);
  const Json* ms = note ? note->find("ms") : nullptr;
  if (ms != nullptr) time.kept = ms->as_number();
  if (!time.ms) time.ms = time.kept;
  return time;
}

void CompileTimes::note(const Manifest& plugin, const std::string& tier, double ms, bool is_kept) {
  const std::lock_guard lock(mutex_);
  Time& time = is_kept ? look_up(plugin, tier) : times_[key_of(plugin, tier).digest];
  time.ms = time.ms ? *time.ms + kWeight * (ms - *time.ms) : ms;
  if (!is_kept || !is_far(*time.ms, time.kept)) return;
  const bool replaces = std::exchange(time.kept, time.ms).has_value();
  store_note(cache_.get(), key_of(plugin, tier), Json::Object{{"ms", *time.ms}}, replaces);
}

std::optional<double> CompileTimes::known(const Manifest& plugin, const std::string& tier) {
  const std::lock_guard lock(mutex_);
  return look_up(plugin, tier).ms;
}

std::optional<double> CompileTimes::expected(const Manifest& plugin, const std::string& tier) {
  if (const std::optional<double> ms = known(plugin, tier)) return ms;
  return plugin.compile_ms > 0 ? std::optional<double>(plugin.compile_ms) : std::nullopt;
}

namespace {

/// The plugins that were tried successfully in this process, by the digest of `answer_key`.
///
/// Threads: any.
class Answered {
 public:
  bool has(const std::string& digest) {
    const std::lock_guard lock(mutex_);
    return digests_.contains(digest);
  }
  void add(const std::string& digest) {
    const std::lock_guard lock(mutex_);
    digests_.insert(digest);
  }

 private:
  std::mutex mutex_;
  ForkGuard guard_{mutex_};
  std::set<std::string> digests_;
};

Answered& answered() {
  static Answered& instance = immortal<Answered>();  // never destroyed: plugins are opened while the process ends
  return instance;
}

/// Returns the processor's features as Linux lists them: code that ran on one processor may use instructions that are
/// illegal on another with the same cache.
std::string processor_features() {
  std::ifstream file(linux_root() / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  return "";
}

CacheKey answer_key(const PluginEntry& entry, const Options& options) {
  Json::Object given;
  for (const auto& [name, value] : options)
    if (name != "kmux.cache_dir") given.emplace(name, value);
  const Manifest& plugin = entry.manifest;
  return note_key("plugin answered", {{"name", "plugin answered"},
                                      {"plugin", Json::Object{{"name", plugin.name}, {"build_id", plugin.build_id}}},
                                      {"options", std::move(given)},
                                      {"kmux", version()},
                                      {"abi", KMUX_PLUGIN_ABI_VERSION},
                                      {"processor", processor_features()}});
}

/// Stores the result at once, as this process may end soon, and only on this machine's disk. If it cannot be stored,
/// later processes try the plugin again.
void keep_answer(const ArtifactCache* cache, const CacheKey& key) {
  if (cache == nullptr) return;
  const Result<PackedEntry> note = pack_entry(key, {.artifact = Artifact{{{"note", "answered"}}}}, file_time_now());
  if (note) static_cast<void>(cache->add(*note));
}

}  // namespace

Status admit_plugin(const PluginEntry& entry, const Options& options, const Environment& environment,
                    ArtifactCache* cache) {
  if (is_own(entry)) return Ok{};
  KMUX_ASSIGN(const auto limit, trial_limit(environment));
  if (!limit) return Ok{};
  const CacheKey key = answer_key(entry, options);
  if (answered().has(key.digest)) return Ok{};
  if (cache == nullptr || !cache->find_here(key)) {  // not from remote caches: other machines differ
    KMUX_TRY(try_plugin(entry, options, *limit));
    keep_answer(cache, key);
  }
  answered().add(key.digest);
  return Ok{};
}

}  // namespace kmux
