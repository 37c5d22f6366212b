#pragma once

#include <optional>
#include <string>

#include "kmux/json.h"

#include "cache/disk/cache_entry.h"

namespace kmux {

class ArtifactCache;

/// The key of something that was learned, kept in the cache as builds are: `kind` says of what sort it is, `parts` are
/// all that it depends on.
CacheKey note_key(const std::string& kind, Json::Object parts);

/// What is kept under `key` in `cache` (which may be null), or nothing; damage is nothing.
std::optional<Json> find_note(const ArtifactCache* cache, const CacheKey& key);

/// Keeps `note` under `key`. What is there already stays, unless it `replaces` that, which waits for the disk.
void keep_note(ArtifactCache* cache, const CacheKey& key, const Json& note, bool replaces);

}  // namespace kmux
