#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kmux/error.h"

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

}  // namespace kmux
