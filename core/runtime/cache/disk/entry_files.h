#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"

#include "cache_entry.h"
#include "cache_folder.h"
#include "dependency_state.h"
#include "file_descriptor.h"
#include "include_folders.h"

namespace kmux {

/// The contents of an entry's manifest.json.
struct EntryManifest {
  struct File {
    std::uint64_t size = 0;
    std::string sha256;
    bool operator==(const File&) const = default;
  };
  std::string key;
  std::string parts;  // of the key, JSON; kept as text, since a hit does not need them
  std::int64_t created_ns = 0;
  std::map<std::string, File, std::less<>> files;  // by name; none for a negative entry without dependencies
  std::optional<Error> unsupported;
};

/// Returns JSON that ends with the SHA-256 of all preceding bytes, so that any changed byte is detected.
std::string to_json(const EntryManifest& manifest);

/// Parses the output of `to_json`.
///
/// Errors: invalid_argument for any other text, including a changed byte; unsupported for an intact manifest that
///         another version wrote in another schema.
Result<EntryManifest> entry_manifest_from_json(std::string_view text);

struct PackedEntry;

/// The files that an entry may have. The manifest is always present and names the others.
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kArtifactFile = "artifact";
inline constexpr const char* kLauncherFile = "launcher";
inline constexpr const char* kDependenciesFile = "dependencies";
inline constexpr std::array kEntryFiles = {kManifestFile, kArtifactFile, kLauncherFile, kDependenciesFile};

/// Returns true if `name` is one of `kEntryFiles`.
inline bool is_entry_file(std::string_view name) {
  return std::find(kEntryFiles.begin(), kEntryFiles.end(), name) != kEntryFiles.end();
}

/// The result of reading an entry.
struct EntryReading {
  enum class Outcome {
    kGood,
    kOutdated,  // a dependency changed, or another version wrote it
    kGone,  // removed concurrently
    kDamaged,
  };
  Outcome outcome = Outcome::kGone;
  std::string reason = {};  // empty if kGood
  EntryManifest manifest = {};
  CacheEntry entry = {};
  FileTime used_ns = 0;  // last used
  FileDescriptor folder = FileDescriptor();  // the folder that was read, even if renamed since
};

/// Reads an entry and checks every digest. With `kDependencies` also checks that its dependencies are unchanged; those
/// of a shared entry are below `folders`. The returned artifact then lists their paths.
enum class EntryCheck { kDigests, kDependencies };
EntryReading read_entry(const EntryLocation& location, EntryCheck check, const IncludeFolders& folders = {});

/// Reads an entry of another machine. Checks every digest and the contents of all files that it depends on. Never
/// returns `kGone` or a folder.
EntryReading read_entry(const PackedEntry& packed, const IncludeFolders& folders = {});

/// Returns the manifest of an entry, or nothing if it cannot be read.
std::optional<EntryManifest> read_manifest(const EntryLocation& location);

/// Marks an entry as used now, at most once an hour: the mark is the manifest's mtime, as access times are often off.
void touch(const EntryReading& reading);

/// Returns the files of an entry by name.
///
/// Errors: invalid_argument if the written entry would be unreadable.
Result<std::map<std::string, std::string>> entry_files(const CacheKey& key, const CacheEntry& entry,
                                                       const DependencyState& state);

}  // namespace kmux
