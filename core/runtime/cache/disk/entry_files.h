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

/// What an entry says of itself in manifest.json.
struct EntryManifest {
  struct File {
    std::uint64_t size = 0;
    std::string sha256;
    bool operator==(const File&) const = default;
  };
  std::string key;
  std::string parts;  // of the key, JSON; kept as text, since a hit has no need of them
  std::int64_t created_ns = 0;
  std::map<std::string, File, std::less<>> files;  // by name; none for a negative entry without dependencies
  std::optional<Error> unsupported;
};

/// JSON that ends with the SHA-256 of all before it, so that no byte of it can change unseen.
std::string to_json(const EntryManifest& manifest);

/// Errors: invalid_argument for anything that `to_json` does not write, a changed byte included; unsupported for a whole
///         manifest that another version wrote in another schema.
Result<EntryManifest> entry_manifest_from_json(std::string_view text);

struct PackedEntry;

/// The files that an entry may have; the manifest is always there and names the others.
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kArtifactFile = "artifact";
inline constexpr const char* kLauncherFile = "launcher";
inline constexpr const char* kDependenciesFile = "dependencies";
inline constexpr std::array kEntryFiles = {kManifestFile, kArtifactFile, kLauncherFile, kDependenciesFile};

/// Returns true if `name` is one of `kEntryFiles`.
inline bool is_entry_file(std::string_view name) {
  return std::find(kEntryFiles.begin(), kEntryFiles.end(), name) != kEntryFiles.end();
}

/// How an attempt to read an entry ended.
struct EntryReading {
  enum class Outcome {
    kGood,
    kOutdated,  // a dependency changed, or another version wrote it
    kGone,  // it was removed meanwhile
    kDamaged,
  };
  Outcome outcome = Outcome::kGone;
  std::string reason = {};  // unless it is good
  EntryManifest manifest = {};
  CacheEntry entry = {};
  FileTime used_ns = 0;  // last used
  FileDescriptor folder = FileDescriptor();  // what was read, whatever its name is now
};

/// Reads an entry and checks every digest; with `kDependencies` also whether its dependencies are as they were, those of a shared
/// entry below `folders`. Its artifact then lists their paths.
enum class EntryCheck { kDigests, kDependencies };
EntryReading read_entry(const EntryLocation& location, EntryCheck check, const IncludeFolders& folders = {});

/// Reads an entry of another machine, and checks every digest and its dependencies: the contents of all files. Never `kGone`; there is no folder.
EntryReading read_entry(const PackedEntry& packed, const IncludeFolders& folders = {});

/// What an entry says of itself, or nothing if that cannot be read.
std::optional<EntryManifest> read_manifest(const EntryLocation& location);

/// Marks an entry as used now, at most once an hour: the mark is the manifest's mtime, as access times are often off.
void touch(const EntryReading& reading);

/// An entry's files by name.
///
/// Errors: invalid_argument if the entry could not be read back.
Result<std::map<std::string, std::string>> entry_files(const CacheKey& key, const CacheEntry& entry,
                                                       const DependencyState& state);

}  // namespace kmux
