#include "entry_files.h"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "base/json_text.h"
#include "cache_folder.h"
#include "packed_entry.h"

namespace kmux {
namespace {

// {"manifest":BODY,"sha256":"DIGEST"}, where DIGEST covers BODY.
constexpr std::string_view kHead = R"({"manifest":)";
constexpr std::string_view kMiddle = R"(,"sha256":")";
constexpr std::string_view kTail = "\"}\n";
constexpr std::size_t kDigestSize = 64;
constexpr int kSchema = 2;  // must be incremented when the meaning of an entry's file changes

Error malformed(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument, "its manifest cannot be read (" + why + ").");
}

/// Returns the member `key` of `json` as text, or null.
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

/// Returns true for an object of `count` members: with those that it must have, it then has no unknown one.
bool has_members(const Json& json, std::size_t count) {
  return json.as_object() != nullptr && json.as_object()->size() == count;
}

std::optional<Error> error_from_json(const Json& json) {
  const std::string* message = text_of(json, "message");
  const Json* notes = json.find("notes");
  if (message == nullptr || notes == nullptr || notes->as_array() == nullptr || !has_members(json, 2))
    return std::nullopt;
  Error error = make_error(ErrorCode::kUnsupported, *message);
  for (const Json& note : *notes->as_array()) {
    const std::string* kind = text_of(note, "kind");
    const std::string* text = text_of(note, "text");
    if (kind == nullptr || text == nullptr || !has_members(note, 2)) return std::nullopt;
    error.notes.push_back({*kind, *text});
  }
  return error;
}

Status read_files(const Json* json, EntryManifest& manifest) {
  if (json == nullptr || json->as_object() == nullptr) return malformed("it lists no files");
  for (const auto& [name, file] : *json->as_object()) {
    const std::int64_t* size = integer_of(file, "size");
    const std::string* sha256 = text_of(file, "sha256");
    if (size == nullptr || sha256 == nullptr || !is_digest(*sha256) || !has_members(file, 2))
      return malformed("file '" + name + "'");
    manifest.files[name] = {static_cast<std::uint64_t>(*size), *sha256};
  }
  return Ok{};
}

/// Returns the text between head and digest, if the digest matches.
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

using Outcome = EntryReading::Outcome;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{16} << 20;
constexpr FileTime kTouchEvery = FileTime{3600} * 1'000'000'000;

/// Fills an `EntryReading`. Each step returns true if the next step may run.
class Reader {
 public:
  /// Reads from the folder, or from `packed` if that is not null.
  Reader(const EntryLocation& location, const PackedEntry* packed, const IncludeFolders& folders, EntryReading& reading)
      : location_(location), packed_(packed), folders_(folders), reading_(reading) {}

  bool open() {
    if (packed_ != nullptr) return true;
    reading_.folder = location_.open();
    struct stat info{};
    if (!reading_.folder.ok() || ::fstat(reading_.folder.get(), &info) != 0) return stop_at_errno("the folder");
    return location_.trusts(info) || damaged("another user may write to its folder");
  }

  bool read_manifest() {
    const std::optional<FileContent> content = fetch(kManifestFile, kMaxManifestBytes);
    if (!content) return stop_at_errno(kManifestFile);
    if (!is_trusted(*content)) return damaged(std::string(kManifestFile) + " may be written to by another user");
    Result<EntryManifest> manifest = entry_manifest_from_json(content->bytes);
    if (!manifest) {
      const bool is_foreign = manifest.error().code == ErrorCode::kUnsupported;
      return stop(is_foreign ? Outcome::kOutdated : Outcome::kDamaged, manifest.error().message);
    }
    reading_.used_ns = content->mtime_ns;
    reading_.manifest = *std::move(manifest);
    return reading_.manifest.key == location_.key || damaged("its manifest is of another key");
  }

  bool read_dependencies(EntryCheck check) {
    DependencyState state;
    if (!read_state(state)) return false;
    const bool checks_key = check == EntryCheck::kDigests || packed_ != nullptr;
    if (checks_key && second_digest(location_.key, state) != location_.second)
      return damaged("its dependencies are of another key");
    return check == EntryCheck::kDigests || check_dependencies(std::move(state));
  }

  bool read_content() {
    reading_.entry.unsupported = reading_.manifest.unsupported;
    if (reading_.entry.unsupported) return true;
    std::optional<std::string> launcher = read(kLauncherFile);
    if (!launcher) return false;
    reading_.entry.launcher = *std::move(launcher);
    const std::optional<std::string> bytes = read(kArtifactFile);
    if (!bytes) return false;
    Result<Artifact> artifact = deserialize(*bytes);
    if (!artifact) return damaged(artifact.error().message);
    reading_.entry.artifact = *std::move(artifact);
    if (listed_) reading_.entry.artifact.set(std::string(kDependenciesPart), to_json(*listed_));
    return true;
  }

 private:
  bool stop(Outcome outcome, std::string reason) {
    reading_.outcome = outcome;
    reading_.reason = std::move(reason);
    return false;
  }
  bool damaged(const std::string& reason) { return stop(Outcome::kDamaged, reason); }

  /// Reads the dependencies into `state`, which stays empty if the entry has none.
  bool read_state(DependencyState& state) {
    if (!reading_.manifest.files.contains(kDependenciesFile)) return true;
    const std::optional<std::string> text = read(kDependenciesFile);
    if (!text) return false;
    Result<DependencyState> found = dependency_state_from_text(*text);
    if (!found) return damaged(found.error().message);
    state = *std::move(found);
    return true;
  }

  /// Compares `state` with the files on this machine, and lists them if the entry is shared.
  bool check_dependencies(DependencyState state) {
    std::optional<DependencyState> here = resolved_in(folders_, std::move(state));
    if (!here) return damaged("its dependencies are of other folders");
    if (packed_ != nullptr) here = of_another_machine(*std::move(here));
    if (std::optional<std::string> change = find_change(*here)) return stop(Outcome::kOutdated, *std::move(change));
    if (!folders_.empty() && !are_distinct(*here)) return stop(Outcome::kOutdated, "two headers are one file here");
    if (!folders_.empty()) listed_ = dependencies_in(*here);
    return true;
  }

  /// A removed entry loses its name before its files, so a missing file is damage only if the name still exists.
  bool stop_at_errno(const char* name) {
    const int error = errno;
    const bool vanished = packed_ == nullptr && (error == ENOENT || error == ESTALE);
    if (vanished && !reading_.folder.is_at(location_.folder)) return stop(Outcome::kGone, "it was removed meanwhile");
    return damaged(std::string(name) + ": " + errno_text(error));
  }

  /// Returns a file, or nothing with the reason in errno.
  std::optional<FileContent> fetch(const char* name, std::uint64_t max_bytes) {
    if (packed_ == nullptr) return read_file_at(reading_.folder, name, max_bytes);
    const auto found = packed_->files.find(name);
    if (found != packed_->files.end() && found->second.size() <= max_bytes) return FileContent{found->second};
    errno = found == packed_->files.end() ? ENOENT : EFBIG;
    return std::nullopt;
  }

  /// A packed file has no owner: its source must be authenticated by the caller.
  bool is_trusted(const FileContent& content) const { return packed_ != nullptr || location_.trusts(content.info); }

  std::optional<std::string> read(const char* name) {
    const auto listed = reading_.manifest.files.find(name);
    if (listed == reading_.manifest.files.end()) return damaged(std::string(name) + " is not listed"), std::nullopt;
    std::optional<FileContent> content = fetch(name, kMaxFileBytes);
    if (!content) return stop_at_errno(name), std::nullopt;
    if (!is_trusted(*content)) return damaged(std::string(name) + " may be written to by another user"), std::nullopt;
    const EntryManifest::File& file = listed->second;
    if (content->bytes.size() != file.size) return damaged(std::string(name) + " has another size"), std::nullopt;
    if (sha256_hex(content->bytes) != file.sha256) {
      return damaged(std::string(name) + " differs from its SHA-256"), std::nullopt;
    }
    return std::move(content->bytes);
  }

  const EntryLocation& location_;
  const PackedEntry* packed_;
  const IncludeFolders& folders_;
  std::optional<Dependencies> listed_ = {};  // of a shared entry, with their paths on this machine
  EntryReading& reading_;
};

EntryReading read_all(const EntryLocation& location, const PackedEntry* packed, EntryCheck check,
                      const IncludeFolders& folders) {
  EntryReading reading;
  Reader reader(location, packed, folders, reading);
  if (reader.open() && reader.read_manifest() && reader.read_dependencies(check) && reader.read_content()) {
    reading.outcome = Outcome::kGood;
  }
  return reading;
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
  KMUX_ASSIGN(const Json json, read_json(body));
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
  // An unknown key may be a damaged "unsupported", without which the entry would have other code.
  constexpr std::size_t kKeys = 5;
  if (!has_members(json, manifest.unsupported ? kKeys + 1 : kKeys)) return malformed("it has an unknown key");
  return manifest;
}

EntryReading read_entry(const EntryLocation& location, EntryCheck check, const IncludeFolders& folders) {
  return read_all(location, nullptr, check, folders);
}

EntryReading read_entry(const PackedEntry& packed, const IncludeFolders& folders) {
  return read_all({{}, packed.key, packed.second}, &packed, EntryCheck::kDependencies, folders);
}

std::optional<EntryManifest> read_manifest(const EntryLocation& location) {
  EntryReading reading;
  const IncludeFolders no_folders;
  Reader reader(location, nullptr, no_folders, reading);
  if (!reader.open() || !reader.read_manifest()) return std::nullopt;
  return std::move(reading.manifest);
}

void touch(const EntryReading& reading) {
  const FileTime now = file_time_now();
  if (now - reading.used_ns < kTouchEvery) return;
  const timespec times[] = {{0, UTIME_OMIT}, {now / 1'000'000'000, now % 1'000'000'000}};
  ::utimensat(reading.folder.get(), kManifestFile, times, 0);  // on failure it is evicted somewhat early
}

Result<std::map<std::string, std::string>> entry_files(const CacheKey& key, const CacheEntry& entry,
                                                       const DependencyState& state) {
  std::map<std::string, std::string> files;
  if (!state.empty()) files[kDependenciesFile] = to_text(state);
  if (!entry.unsupported) {
    files[kArtifactFile] = serialize(entry.artifact);
    files[kLauncherFile] = entry.launcher;
  }
  EntryManifest manifest{.key = key.digest,
                         .parts = dump(key.parts),
                         .created_ns = file_time_now(),
                         .files = {},
                         .unsupported = entry.unsupported};
  for (const auto& [name, bytes] : files) manifest.files[name] = {bytes.size(), sha256_hex(bytes)};
  const std::string text = to_json(manifest);
  KMUX_TRY(entry_manifest_from_json(text));  // a log that is not UTF-8 would be unreadable
  files[kManifestFile] = text;
  return files;
}

}  // namespace kmux
