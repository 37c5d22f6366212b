#include "packed_entry.h"

#include <algorithm>

#include "kmux/plugin/file_io.h"

#include "entry_files.h"
#include "include_folders.h"

namespace kmux {
namespace {

Error refused(const std::string& key, const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "cache entry '" + key + "' is refused (" + why + ").");
}

/// Checks that the manifest names every file. Reading alone would ignore other files.
Status check_names(const PackedEntry& packed, const EntryManifest& manifest) {
  if (packed.files.size() == manifest.files.size() + 1) return Ok{};
  return refused(packed.key, "it has files that its manifest does not list");
}

}  // namespace

CacheEntry without_sight(CacheEntry entry) {
  forget_sight(entry.artifact);
  if (!entry.unsupported) return entry;
  for (Note& note : entry.unsupported->notes) {
    if (note.kind != kDependenciesPart) continue;
    Result<Dependencies> dependencies = dependencies_from_json(note.text);
    if (!dependencies) continue;
    dependencies->seen.reset();
    note.text = to_json(*dependencies);
  }
  return entry;
}

namespace {

/// Returns the state for a shared entry, or nothing if this entry depends on the locations of its headers.
std::optional<DependencyState> shared_state(const CacheKey& key, const CacheEntry& entry,
                                            const DependencyState& state) {
  if (key.shared_digest.empty() || entry.unsupported || entry.artifact.find(kRelocatablePart) == nullptr) {
    return std::nullopt;
  }
  return relative_to(key.folders, state);
}

/// Packs a shared entry without header paths. A reader lists the headers at its own paths.
Result<PackedEntry> pack_shared(const CacheKey& key, CacheEntry entry, const DependencyState& state) {
  entry.artifact.set(std::string(kDependenciesPart), to_json(Dependencies{}));
  const CacheKey shared{.digest = key.shared_digest, .parts = key.shared_parts};
  KMUX_ASSIGN(auto files, entry_files(shared, entry, state));
  return PackedEntry{shared.digest, second_digest(shared.digest, state), std::move(files)};
}

}  // namespace

Result<PackedEntry> pack_entry(const CacheKey& key, const CacheEntry& entry, FileTime began) {
  KMUX_ASSIGN(const Dependencies dependencies, dependencies_of(entry));
  KMUX_ASSIGN(const DependencyState state, capture(dependencies, began));
  if (const auto shared = shared_state(key, entry, state)) return pack_shared(key, entry, *shared);
  KMUX_ASSIGN(auto files, entry_files(key, dependencies.seen ? without_sight(entry) : entry, state));
  return PackedEntry{key.digest, second_digest(key.digest, state), std::move(files)};
}

Result<PackedEntry> pack_entry(const EntryLocation& location) {
  const EntryReading reading = read_entry(location, EntryCheck::kDigests);
  if (reading.outcome == EntryReading::Outcome::kGone) {
    return make_error(ErrorCode::kUnavailable, "cache entry '" + location.key + "' was removed meanwhile.");
  }
  if (reading.outcome != EntryReading::Outcome::kGood) return refused(location.key, reading.reason);
  PackedEntry packed{location.key, location.second, {}};
  for (const char* name : kEntryFiles) {
    if (name != kManifestFile && !reading.manifest.files.contains(name)) continue;
    std::optional<FileContent> content = read_file_at(reading.folder, name, kMaxFileBytes);
    if (!content) {
      return make_error(ErrorCode::kUnavailable, "cache entry '" + location.key + "' was removed meanwhile.");
    }
    packed.files[name] = std::move(content->bytes);
  }
  return packed;
}

Result<Staging::Outcome> unpack_entry(const CacheFolder& cache, const PackedEntry& packed) {
  if (!is_digest(packed.key) || !is_digest(packed.second)) return refused(packed.key, "that is not a key");
  KMUX_ASSIGN(Staging staging, Staging::make(cache));
  for (const auto& [name, bytes] : packed.files) {
    if (!is_entry_file(name)) return refused(packed.key, "no entry has a file '" + name + "'");
    KMUX_TRY(staging.write(name.c_str(), bytes));
  }
  const EntryReading reading = read_entry({staging.path(), packed.key, packed.second}, EntryCheck::kDigests);
  if (reading.outcome != EntryReading::Outcome::kGood) return refused(packed.key, reading.reason);
  KMUX_TRY(check_names(packed, reading.manifest));
  return staging.publish(cache.entry(packed.key, packed.second).folder);
}

}  // namespace kmux
