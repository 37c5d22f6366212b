#include "cache_entry.h"

namespace kmux {

Result<Dependencies> dependencies_of(const Artifact& artifact) {
  const std::string* part = artifact.find(kDependenciesPart);
  return part != nullptr ? dependencies_from_json(*part) : Dependencies{};
}

Result<Dependencies> dependencies_of(const Error& unsupported) {
  const std::optional<std::string_view> note = unsupported.note(kDependenciesPart);
  return note ? dependencies_from_json(*note) : Dependencies{};
}

Result<Dependencies> dependencies_of(const CacheEntry& entry) {
  return entry.unsupported ? dependencies_of(*entry.unsupported) : dependencies_of(entry.artifact);
}

}  // namespace kmux
