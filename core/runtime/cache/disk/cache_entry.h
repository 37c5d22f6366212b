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

/// The key of an entry: everything that determines the result of a build, except headers.
struct CacheKey {
  std::string digest;  // SHA-256 over the parts, 64 lower-case hex digits
  Json parts = {};     // readable, for people
  /// The key shared by all requests that differ only in the locations of `folders`, for entries independent of these;
  /// empty: not shared.
  std::string shared_digest = {};
  Json shared_parts = {};
  std::vector<std::string> folders = {};  // see include_folders.h
};

/// The result of a build: an artifact with its launcher, or the error of a backend that does not support it.
///
/// The artifact's part `deps` (kmux/plugin/dependencies.h) names the files that the entry depends on; a negative entry
/// names them in a note of that kind, if any.
struct CacheEntry {
  Artifact artifact = {};
  std::string launcher = {};
  std::optional<Error> unsupported = {};
  /// `file_time_now()` before it was built, or found. While no file that it depends on has changed since, it equals the
  /// result of a build. The caller captures the state of these files with this time.
  FileTime began = 0;
};

/// Returns the files that an outcome depends on.
///
/// Errors: invalid_argument if its list of files is malformed.
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

/// Removes the observed state of the dependencies from an artifact. It is only valid for one build on one machine.
inline void forget_sight(Artifact& artifact) {
  Result<Dependencies> dependencies = dependencies_of(artifact);
  if (!dependencies || !dependencies->seen) return;
  dependencies->seen.reset();
  artifact.set(std::string(kDependenciesPart), to_json(*dependencies));
}

/// Returns the entry without the observed state of its dependencies.
CacheEntry without_sight(CacheEntry entry);

}  // namespace kmux
