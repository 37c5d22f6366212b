#include "cached_note.h"

#include "kmux/plugin/sha256.h"

#include "artifact_cache.h"

namespace kmux {
namespace {

constexpr int kNoteSchema = 1;  // raise it when a note gets another meaning
constexpr const char* kNotePart = "note.json";

}  // namespace

CacheKey note_key(const std::string& kind, Json::Object parts) {
  parts.emplace("kind", kind);
  parts.emplace("schema", kNoteSchema);
  CacheKey key;
  key.parts = std::move(parts);
  key.digest = sha256_hex(dump(key.parts));
  return key;
}

std::optional<Json> find_note(const ArtifactCache* cache, const CacheKey& key) {
  const std::optional<CacheEntry> entry = cache == nullptr ? std::nullopt : cache->find(key);
  const std::string* text = entry ? entry->artifact.find(kNotePart) : nullptr;
  Result<Json> note = text == nullptr ? Result<Json>(Json()) : parse_json(*text);
  if (!note || note->is_null()) return std::nullopt;
  return *std::move(note);
}

void keep_note(ArtifactCache* cache, const CacheKey& key, const Json& note, bool replaces) {
  if (cache == nullptr) return;
  if (replaces) cache->forget(key);
  cache->publish(key, {.artifact = Artifact{{{kNotePart, dump(note)}}}}, file_time_now());
}

}  // namespace kmux
