#include "tier_build.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "kmux/dispatch_json.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"
#include "kmux/plugin/word_list.h"
#include "kmux/trace.h"

#include "cache/artifact_cache.h"
#include "cache/disk/include_folders.h"
#include "system/compile_scope.h"
#include "system/trace_log.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

/// Returns the admission of `choice` by the compile scope of this thread, to be held while it compiles; null without a
/// scope.
Result<std::shared_ptr<void>> admission_of(const Choice& choice) {
  CompileScope* scope = CompileScope::current();
  if (scope == nullptr) return std::shared_ptr<void>();
  return scope->admit(choice.plugin->manifest().name, choice.isolated);
}

Result<std::string> wrap(Backend& backend, const BuildRequest& request) {
  const TraceSpan span("wrap", request.program.name);
  return backend.wrapper().wrap(request);
}

Result<CacheEntry> wrap_and_build(Backend& backend, const BuildRequest& request) {
  KMUX_ASSIGN(std::string launcher, wrap(backend, request));
  const TraceSpan span("build", request.program.name);
  KMUX_ASSIGN(Artifact artifact, backend.builder().build(request, launcher));
  return CacheEntry{std::move(artifact), std::move(launcher)};
}

/// Returns nothing if the build cannot be identified; then it is not cached.
std::optional<CacheKey> key_of(const Choice& choice, const BuildRequest& request) {
  Result<CacheKey> key = cache_key(choice.plugin->manifest(), *choice.backend, request, choice.settings);
  if (key) return *std::move(key);
  log(LogLevel::kDebug, "not cached (the toolchain cannot be identified): " + key.error().message);
  return std::nullopt;
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Result<TierBuild> build_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  const BuildRequest request = request_in_tier(choice, tier);
  std::optional<double> compile_ms;
  const auto make = [&]() -> Result<CacheEntry> {
    KMUX_ASSIGN(const std::shared_ptr<void> admission, admission_of(choice));
    const auto begin = std::chrono::steady_clock::now();
    Result<CacheEntry> made = wrap_and_build(*choice.backend, request);
    compile_ms = milliseconds_since(begin);
    return made;
  };
  const std::optional<CacheKey> key = cache == nullptr ? std::nullopt : key_of(choice, request);
  const FileTime began = file_time_now();
  const std::int64_t asked_ns = trace_clock_ns();
  KMUX_ASSIGN(CacheEntry entry, key ? cache->find_or_make(*key, make) : make());
  if (!compile_ms) add_stage("cache hit", request.program.name, asked_ns);
  return TierBuild{std::move(entry.launcher), std::move(entry.artifact), compile_ms, key ? entry.began : began};
}

namespace {

using Find = std::optional<CacheEntry> (ArtifactCache::*)(const CacheKey& key) const;

std::optional<TierBuild> find_by(Find find, const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  if (cache == nullptr) return std::nullopt;
  const std::int64_t asked_ns = trace_clock_ns();
  const std::optional<CacheKey> key = key_of(choice, request_in_tier(choice, tier));
  std::optional<CacheEntry> entry = key ? (cache->*find)(*key) : std::nullopt;
  if (!entry || entry->unsupported) return std::nullopt;
  add_stage("cache hit", choice.request.program.name, asked_ns);
  return TierBuild{std::move(entry->launcher), std::move(entry->artifact), std::nullopt, entry->began};
}

}  // namespace

std::optional<TierBuild> find_tier(const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  return find_by(&ArtifactCache::find, choice, tier, cache);
}

std::optional<TierBuild> find_tier_here(const Choice& choice, const std::string& tier, ArtifactCache* cache) {
  return find_by(&ArtifactCache::find_here, choice, tier, cache);
}

namespace {

constexpr int kSchema = 1;  // must be incremented when the meaning of a part changes

}  // namespace

Json options_json(const Options& options) {
  Json::Object object;
  for (const auto& [name, value] : options) object.emplace(name, value);
  return object;
}

namespace {

constexpr const char* kFolders = "include_dirs";  // one per line

/// Makes folders absolute: relative ones are searched from the current directory, so keys must contain it.
std::string absolute_folders(const std::string& lines) {
  std::string absolute;
  for (const std::string& folder : split_lines(lines))
    absolute.append(absolute.empty() ? "" : "\n").append(absolute_path(folder).string());
  return absolute;
}

/// Returns the options that reach the backend: those of the request, and the environment's for those that it leaves
/// open.
Options effective(const BuildRequest& request, const Options& settings) {
  Options all = request.options;
  for (const auto& [name, value] : settings) all.emplace(name, value);
  return all;
}

/// Adds the key without folder locations, if code built elsewhere may be used for these folders.
void add_shared_key(CacheKey& key, const std::string& lines) {
  key.folders = shareable_folders(lines);
  if (key.folders.empty()) return;
  key.shared_parts = key.parts;
  key.shared_parts["options"][kFolders] = positions_of(key.folders);
  key.shared_digest = sha256_hex(dump(key.shared_parts));
}

}  // namespace

Result<CacheKey> cache_key(const Manifest& plugin, Backend& backend, const BuildRequest& request,
                           const Options& settings) {
  KMUX_ASSIGN(std::string toolchain, backend.builder().toolchain(request.target, request.options));
  Options options = effective(request, settings);
  const auto given = options.find(kFolders);
  const std::string folders = given == options.end() ? "" : given->second;
  if (!folders.empty()) options[kFolders] = absolute_folders(folders);
  CacheKey key;
  key.parts = Json::Object{
      {"schema", kSchema},
      {"name", request.program.name},
      {"program", digest(request.program)},
      {"variant", static_cast<std::int64_t>(request.variant)},
      {"target", to_string(request.target)},
      {"options", options_json(options)},
      {"plugin", Json::Object{{"name", plugin.name}, {"version", plugin.version}, {"build_id", plugin.build_id}}},
      {"toolchain", std::move(toolchain)},
  };
  key.digest = sha256_hex(dump(key.parts));
  add_shared_key(key, folders);
  return key;
}

}  // namespace kmux
