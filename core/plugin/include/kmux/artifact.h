#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

namespace kmux {

/// What a build makes and a load takes: named parts ("code", "launcher", "plan", "meta.json", "deps").
struct Artifact {
  /// Bytes with a name.
  struct Part {
    std::string name;  // once in an artifact
    std::string content;  // text or bytes
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // in the order in which they were set
  bool operator==(const Artifact&) const = default;

  /// The content of part `name`, or null.
  const std::string* find(std::string_view name) const;
  /// Adds or replaces a part.
  void set(std::string name, std::string content);
};

/// The container: magic, version, a table of (name, offset, size, SHA-256), then the parts. Equal artifacts give equal
/// bytes.
std::string serialize(const Artifact& artifact);

/// Reads a container and checks every digest.
///
/// Errors: invalid_argument that describes what is wrong with the bytes (not an artifact, newer version, truncated, part
/// "code" differs from its SHA-256); never undefined behaviour, whatever the bytes.
Result<Artifact> deserialize(std::string_view bytes);

}  // namespace kmux
