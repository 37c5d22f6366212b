#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// The output of a build and the input of a load: named parts ("code", "launcher", "plan", "meta.json", "deps").
struct Artifact {
  /// A named sequence of bytes.
  struct Part {
    std::string name;  // unique in an artifact
    std::string content;  // text or bytes
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // in the order of the `set` calls
  bool operator==(const Artifact&) const = default;

  /// Returns the content of part `name`, or null. Valid until the artifact changes.
  const std::string* find(std::string_view name) const;
  /// Adds or replaces a part.
  void set(std::string name, std::string content);
};

/// Returns the container: magic, version, a table of (name, offset, size, SHA-256), then the parts. Equal artifacts
/// give equal bytes.
std::string serialize(const Artifact& artifact);

/// Reads a container and checks every digest.
///
/// Errors: invalid_argument that describes the fault (not an artifact, newer version, truncated, part "code" differs
/// from its SHA-256). Never undefined behaviour, whatever the bytes.
Result<Artifact> deserialize(std::string_view bytes);

}  // namespace kmux
