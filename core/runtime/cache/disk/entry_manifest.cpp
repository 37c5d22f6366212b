#include "entry_manifest.h"

#include "kmux/json.h"
#include "kmux/plugin/sha256.h"

#include "cache_folder.h"

namespace kmux {
namespace {

// {"manifest":BODY,"sha256":"DIGEST"}, where DIGEST covers BODY.
constexpr std::string_view kHead = R"({"manifest":)";
constexpr std::string_view kMiddle = R"(,"sha256":")";
constexpr std::string_view kTail = "\"}\n";
constexpr std::size_t kDigestSize = 64;
constexpr int kSchema = 2;  // raise it when a file of an entry gets another meaning

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "its manifest cannot be read (" + why + ").");
}

/// The member `key` of `json` as text, or null.
const std::string* text_of(const Json& json, std::string_view key) {
  const Json* member = json.find(key);
  return member == nullptr ? nullptr : member->as_string();
}

const std::int64_t* integer_of(const Json& json, std::string_view key) {
  const Json* member = json.find(key);
  return member == nullptr ? nullptr : member->as_integer();
}

Json error_to_json(const Error& error) {
  Json::Array notes;
  for (const Note& note : error.notes) notes.emplace_back(Json::Object{{"kind", note.kind}, {"text", note.text}});
  return Json::Object{{"message", error.message}, {"notes", std::move(notes)}};
}

std::optional<Error> error_from_json(const Json& json) {
  const std::string* message = text_of(json, "message");
  const Json* notes = json.find("notes");
  if (message == nullptr || notes == nullptr || notes->as_array() == nullptr) return std::nullopt;
  Error error = make_error(ErrorCode::kUnsupported, *message);
  for (const Json& note : *notes->as_array()) {
    const std::string* kind = text_of(note, "kind");
    const std::string* text = text_of(note, "text");
    if (kind == nullptr || text == nullptr) return std::nullopt;
    error.notes.push_back({*kind, *text});
  }
  return error;
}

Status read_files(const Json* json, EntryManifest& manifest) {
  if (json == nullptr || json->as_object() == nullptr) return malformed("it lists no files");
  for (const auto& [name, file] : *json->as_object()) {
    const std::int64_t* size = integer_of(file, "size");
    const std::string* sha256 = text_of(file, "sha256");
    if (size == nullptr || sha256 == nullptr || !is_digest(*sha256)) return malformed("file '" + name + "'");
    manifest.files[name] = {static_cast<std::uint64_t>(*size), *sha256};
  }
  return Ok{};
}

/// The text between head and digest, if the digest is right.
Result<std::string_view> checked_body(std::string_view text) {
  const std::size_t around = kHead.size() + kMiddle.size() + kDigestSize + kTail.size();
  if (text.size() < around || !text.starts_with(kHead) || !text.ends_with(kTail)) return malformed("it is truncated");
  const std::string_view body = text.substr(kHead.size(), text.size() - around);
  std::string_view rest = text.substr(kHead.size() + body.size());
  if (!rest.starts_with(kMiddle)) return malformed("it is truncated");
  rest.remove_prefix(kMiddle.size());
  if (rest.substr(0, kDigestSize) != sha256_hex(body)) return malformed("it differs from its SHA-256");
  return body;
}

}  // namespace

std::string to_json(const EntryManifest& manifest) {
  Json body = Json::Object{
      {"schema", kSchema}, {"key", manifest.key}, {"parts", manifest.parts}, {"created_ns", manifest.created_ns}};
  body["files"] = Json::Object{};
  for (const auto& [name, file] : manifest.files) {
    body["files"][name] = Json::Object{{"size", file.size}, {"sha256", file.sha256}};
  }
  if (manifest.unsupported) body["unsupported"] = error_to_json(*manifest.unsupported);
  const std::string text = dump(body);
  return std::string(kHead).append(text).append(kMiddle).append(sha256_hex(text)).append(kTail);
}

Result<EntryManifest> entry_manifest_from_json(std::string_view text) {
  KMUX_ASSIGN(const std::string_view body, checked_body(text));
  KMUX_ASSIGN(const Json json, parse_json(body));
  const std::int64_t* schema = integer_of(json, "schema");
  const std::string* key = text_of(json, "key");
  const std::int64_t* created = integer_of(json, "created_ns");
  const std::string* parts = text_of(json, "parts");
  if (schema == nullptr) return malformed("it has no schema");
  if (*schema != kSchema) {
    return make_error(ErrorCode::kUnsupported, "another version of kmux wrote it (its schema is " +
                                                   std::to_string(*schema) + ", not " + std::to_string(kSchema) + ").");
  }
  if (key == nullptr || created == nullptr || parts == nullptr) return malformed("it is incomplete");
  EntryManifest manifest{.key = *key, .parts = *parts, .created_ns = *created, .files = {}, .unsupported = {}};
  KMUX_TRY(read_files(json.find("files"), manifest));
  if (const Json* error = json.find("unsupported")) {
    manifest.unsupported = error_from_json(*error);
    if (!manifest.unsupported) return malformed("its error is incomplete");
  }
  return manifest;
}

}  // namespace kmux
