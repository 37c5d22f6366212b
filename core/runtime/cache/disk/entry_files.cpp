#include "entry_files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "packed_entry.h"

namespace kmux {
namespace {

using Outcome = EntryReading::Outcome;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{16} << 20;
constexpr FileTime kTouchEvery = FileTime{3600} * 1'000'000'000;

/// Fills an `EntryReading`; each step answers whether the next one makes sense.
class Reader {
 public:
  /// Of the folder, or of `packed` if that is not null.
  Reader(const EntryLocation& location, const PackedEntry* packed, EntryReading& reading)
      : location_(location), packed_(packed), reading_(reading) {}

  bool open() {
    if (packed_ != nullptr) return true;
    reading_.folder = FileDescriptor::open_folder(location_.folder);
    return reading_.folder.ok() || stop_at_errno("the folder");
  }

  bool read_manifest() {
    const std::optional<FileContent> content = fetch(kManifestFile, kMaxManifestBytes);
    if (!content) return stop_at_errno(kManifestFile);
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
    if (reading_.manifest.files.contains(kDependenciesFile)) {
      const std::optional<std::string> text = read(kDependenciesFile);
      if (!text) return false;
      Result<DependencyState> found = dependency_state_from_text(*text);
      if (!found) return damaged(found.error().message);
      state = *std::move(found);
    }
    if (check == EntryCheck::kDigests || packed_ != nullptr) {
      if (second_digest(location_.key, state) != location_.second)
        return damaged("its dependencies are of another key");
    }
    if (check == EntryCheck::kDigests) return true;
    std::optional<std::string> change =
        find_change(packed_ == nullptr ? std::move(state) : of_another_machine(std::move(state)));
    return !change || stop(Outcome::kOutdated, *std::move(change));
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
    return true;
  }

 private:
  bool stop(Outcome outcome, std::string reason) {
    reading_.outcome = outcome;
    reading_.reason = std::move(reason);
    return false;
  }
  bool damaged(const std::string& reason) { return stop(Outcome::kDamaged, reason); }

  /// A removed entry loses its name before it loses its files, so a file is missing only if the name is still there.
  bool stop_at_errno(const char* name) {
    const int error = errno;
    const bool vanished = packed_ == nullptr && (error == ENOENT || error == ESTALE);
    if (vanished && !reading_.folder.is_at(location_.folder)) return stop(Outcome::kGone, "it was removed meanwhile");
    return damaged(std::string(name) + ": " + errno_text(error));
  }

  /// A file, or nothing (errno says why).
  std::optional<FileContent> fetch(const char* name, std::uint64_t max_bytes) {
    if (packed_ == nullptr) return read_file_at(reading_.folder, name, max_bytes);
    const auto found = packed_->files.find(name);
    if (found != packed_->files.end() && found->second.size() <= max_bytes) return FileContent{found->second};
    errno = found == packed_->files.end() ? ENOENT : EFBIG;
    return std::nullopt;
  }

  std::optional<std::string> read(const char* name) {
    const auto listed = reading_.manifest.files.find(name);
    if (listed == reading_.manifest.files.end()) return damaged(std::string(name) + " is not listed"), std::nullopt;
    std::optional<FileContent> content = fetch(name, kMaxFileBytes);
    if (!content) return stop_at_errno(name), std::nullopt;
    const EntryManifest::File& file = listed->second;
    if (content->bytes.size() != file.size) return damaged(std::string(name) + " has another size"), std::nullopt;
    if (sha256_hex(content->bytes) != file.sha256) {
      return damaged(std::string(name) + " differs from its SHA-256"), std::nullopt;
    }
    return std::move(content->bytes);
  }

  const EntryLocation& location_;
  const PackedEntry* packed_;
  EntryReading& reading_;
};

EntryReading read_all(const EntryLocation& location, const PackedEntry* packed, EntryCheck check) {
  EntryReading reading;
  Reader reader(location, packed, reading);
  if (reader.open() && reader.read_manifest() && reader.read_dependencies(check) && reader.read_content()) {
    reading.outcome = Outcome::kGood;
  }
  return reading;
}

}  // namespace

EntryReading read_entry(const EntryLocation& location, EntryCheck check) { return read_all(location, nullptr, check); }

EntryReading read_entry(const PackedEntry& packed) {
  return read_all({{}, packed.key, packed.second}, &packed, EntryCheck::kDependencies);
}

std::optional<EntryManifest> read_manifest(const EntryLocation& location) {
  EntryReading reading;
  Reader reader(location, nullptr, reading);
  if (!reader.open() || !reader.read_manifest()) return std::nullopt;
  return std::move(reading.manifest);
}

void touch(const EntryReading& reading) {
  const FileTime now = file_time_now();
  if (now - reading.used_ns < kTouchEvery) return;
  const timespec times[] = {{0, UTIME_OMIT}, {now / 1'000'000'000, now % 1'000'000'000}};
  ::utimensat(reading.folder.get(), kManifestFile, times, 0);  // else it is evicted somewhat early
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
  KMUX_TRY(entry_manifest_from_json(text));  // a log that is not UTF-8 would make it unreadable
  files[kManifestFile] = text;
  return files;
}

}  // namespace kmux
