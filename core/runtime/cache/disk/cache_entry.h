#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/json.h"
#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/file_identity.h"

namespace kmux {

/// What an entry is found by: everything that decides what a build makes, headers aside.
struct CacheKey {
  std::string digest;  // SHA-256 over the parts, 64 lower-case hex digits
  Json parts = {};     // in clear, for people
  /// The same key for all that differ in the places of `folders` alone, for entries that do not depend on these; empty: no
  /// others count.
  std::string shared_digest = {};
  Json shared_parts = {};
  std::vector<std::string> folders = {};  // see include_folders.h
};

/// What a build made: an artifact with its launcher, or the reason why the backend cannot do it.
///
/// The artifact's part `deps` (kmux/plugin/dependencies.h) names the files that the entry depends on; a negative entry names
/// them in a note of that kind, if it depends on any.
struct CacheEntry {
  Artifact artifact = {};
  std::string launcher = {};
  std::optional<Error> unsupported = {};
  /// `file_time_now()` before it was built, or found. As long as no file that it depends on changed since, it is what a
  /// build makes; the state of these files is captured with this time by the caller that got the entry.
  FileTime began = 0;
};

/// The files that an outcome depends on.
///
/// Errors: invalid_argument if its list of them is malformed.
inline Result<Dependencies> dependencies_of(const Artifact& artifact) {
  const std::string* part = artifact.find(kDependenciesPart);
  return part != nullptr ? dependencies_from_json(*part) : Dependencies{};
}

inline Result<Dependencies> dependencies_of(const Error& unsupported) {
  const std::optional<std::string_view> note = unsupported.note(kDependenciesPart);
  return note ? dependencies_from_json(*note) : Dependencies{};
}

inline Result<Dependencies> dependencies_of(const CacheEntry& entry) {
  return entry.unsupported ? dependencies_of(*entry.unsupported) : dependencies_of(entry.artifact);
}

/// Takes out of an artifact's list of dependencies what these were seen like: that means something to one build only, on one
/// machine.
inline void forget_sight(Artifact& artifact) {
  Result<Dependencies> dependencies = dependencies_of(artifact);
  if (!dependencies || !dependencies->seen) return;
  dependencies->seen.reset();
  artifact.set(std::string(kDependenciesPart), to_json(*dependencies));
}

/// The entry without it.
CacheEntry without_sight(CacheEntry entry);

}  // namespace kmux
