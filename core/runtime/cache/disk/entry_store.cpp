#include "entry_store.h"

#include "base/json_text.h"
#include "staging.h"
#include "sweeper.h"

namespace kmux {
namespace {

using Outcome = EntryReading::Outcome;

/// Returns the parts for display; plain text if they are not JSON.
Json parts_of(const EntryManifest& manifest) {
  auto parts = read_json(manifest.parts);
  return parts ? *std::move(parts) : Json(manifest.parts);
}

}  // namespace

std::optional<CacheEntry> EntryStore::find(const std::string& key, const IncludeFolders& folders) const {
  for (const EntryLocation& location : folder_.entries_of(key)) {
    EntryReading reading = read_entry(location, EntryCheck::kDependencies, folders);
    if (reading.outcome == Outcome::kGood) {
      if (folder_.writable()) touch(reading);
      return std::move(reading.entry);
    }
    if (reading.outcome == Outcome::kDamaged) refuse(location, reading);
  }
  return std::nullopt;
}

void EntryStore::refuse(const EntryLocation& location, const EntryReading& reading) const {
  if (log_) log_("cache entry '" + location.folder.string() + "' is not used (" + reading.reason + ").");
  put_into_quarantine(folder_, location.folder, reading.folder);
}

Status EntryStore::store(const PackedEntry& entry) const {
  KMUX_ASSIGN(Staging staging, Staging::make(folder_));
  for (const auto& [name, bytes] : entry.files) KMUX_TRY(staging.write(name.c_str(), bytes));
  KMUX_TRY(staging.publish(folder_.entry(entry.key, entry.second).folder));
  return Ok{};
}

std::vector<StoredEntry> EntryStore::list() const {
  std::vector<StoredEntry> entries;
  for (EntryLocation& location : folder_.entries()) {
    const std::optional<EntryManifest> manifest = read_manifest(location);
    if (!manifest) continue;
    const std::uint64_t bytes = bytes_on_disk(location.folder);
    const FileTime used_ns = last_used(location);
    entries.push_back({.location = std::move(location),
                       .parts = parts_of(*manifest),
                       .bytes = bytes,
                       .created_ns = manifest->created_ns,
                       .used_ns = used_ns,
                       .negative = manifest->unsupported.has_value()});
  }
  return entries;
}

std::vector<DamagedEntry> EntryStore::verify() const {
  std::vector<DamagedEntry> damaged;
  for (const EntryLocation& location : folder_.entries()) {
    const EntryReading reading = read_entry(location, EntryCheck::kDigests);
    if (reading.outcome != Outcome::kDamaged) continue;
    refuse(location, reading);
    damaged.push_back({location.folder, reading.reason});
  }
  return damaged;
}

}  // namespace kmux
