#include "plugin_search.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <set>
#include <vector>

#include "kmux/plugin/plugin.h"
#include "kmux/registry.h"

#include "system/trust.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestSuffix = ".plugin.json";

Error refuse(ErrorCode code, const fs::path& path, const std::string& why, const std::string& advice) {
  return make_error(code, "\"" + path.string() + "\" is refused (" + why + "). " + advice);
}

Status check_abi(const PluginEntry& entry) {
  const auto host = static_cast<std::uint32_t>(KMUX_PLUGIN_ABI_VERSION);
  if (entry.manifest.abi_min <= host && host <= entry.manifest.abi_max) return Ok{};
  return refuse(ErrorCode::kUnavailable, entry.path,
                "it was built for plugin ABI " + std::to_string(entry.manifest.abi_min) + " to " +
                    std::to_string(entry.manifest.abi_max) + ", this kmux has " + std::to_string(host),
                "Install a plugin of the same release.");
}

Status examine(PluginEntry& entry) {
  KMUX_TRY(check_trusted(entry.path));
  KMUX_ASSIGN(entry.manifest, read_manifest(entry.path));
  KMUX_TRY(check_abi(entry));
  return check_library(entry);
}

/// The manifests in `folder`, by name.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    if (file.path().filename().string().ends_with(kManifestSuffix)) found.push_back(file.path());
  }
  std::ranges::sort(found);
  return found;
}

/// Collects entries and remembers which names are taken.
class Search {
 public:
  void folder(const fs::path& path) {
    if (!path.is_absolute()) {
      entries_.push_back({path,
                          {},
                          refuse(ErrorCode::kInvalidArgument, path, "it is a relative path",
                                 "Name plugin folders by absolute paths.")});
      return;
    }
    std::error_code missing;
    const fs::path folder = fs::canonical(path, missing);
    if (missing || !seen_.insert(folder).second) return;
    if (Status trusted = check_trusted(folder); !trusted) {
      entries_.push_back({folder, {}, std::move(trusted)});
      return;
    }
    for (const fs::path& manifest : manifests_in(folder)) add(manifest);
  }
  std::vector<PluginEntry> take() && { return std::move(entries_); }

 private:
  void add(const fs::path& manifest) {
    PluginEntry entry{manifest, {}, Ok{}};
    entry.status = examine(entry);
    if (entry.status && !names_.insert(entry.manifest.name).second) {
      entry.status = refuse(ErrorCode::kUnavailable, manifest,
                            "an earlier folder has a plugin \"" + entry.manifest.name + "\"", "Remove one of the two.");
    }
    entries_.push_back(std::move(entry));
  }
  std::vector<PluginEntry> entries_;
  std::set<fs::path> seen_;
  std::set<std::string> names_;
};

}  // namespace

fs::path library_of(const PluginEntry& entry) { return entry.path.parent_path() / entry.manifest.library; }

Status check_library(const PluginEntry& entry) {
  const fs::path library = library_of(entry);
  const char* const again = "Build or install the plugin again.";
  std::error_code error;
  const auto size = fs::file_size(library, error);
  if (error) return refuse(ErrorCode::kUnavailable, library, error.message(), again);
  KMUX_TRY(check_trusted(library));
  if (entry.manifest.size != size) {
    return refuse(ErrorCode::kUnavailable, library,
                  "it has " + std::to_string(size) + " bytes, its manifest says " + std::to_string(entry.manifest.size),
                  again);
  }
  KMUX_ASSIGN(const std::string build_id, read_build_id(library));
  if (entry.manifest.build_id != build_id) {
    return refuse(ErrorCode::kUnavailable, library,
                  "its build-id is " + build_id + ", its manifest says " + entry.manifest.build_id, again);
  }
  return Ok{};
}

std::vector<fs::path> search_folders(const RegistryOptions& options) {
  std::vector<fs::path> folders = options.search_path;
  folders.insert(folders.end(), options.environment_path.begin(), options.environment_path.end());
  if (!options.use_default_path) return folders;
  if (const fs::path own = own_folder(); !own.empty()) folders.push_back(own / KMUX_PLUGINS_FROM_LIBRARY);
  folders.emplace_back(KMUX_PLUGINS_INSTALLED);
  return folders;
}

std::vector<PluginEntry> search_plugins(const RegistryOptions& options) {
  Search search;
  for (const fs::path& folder : search_folders(options)) search.folder(folder);
  return std::move(search).take();
}

namespace {

constexpr std::size_t kMaxNoteBytes = 1 << 16;

Error damaged(const std::filesystem::path& library, const char* why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "\"" + library.string() + "\" is no usable library (" + why + "). Build or install it again.");
}

/// Bytes at `offset`, or nothing if the file is shorter.
std::optional<std::vector<char>> read_at(std::ifstream& file, std::uint64_t offset, std::size_t size) {
  std::vector<char> bytes(size);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return bytes;
}

template <class T>
std::optional<T> read_struct(std::ifstream& file, std::uint64_t offset) {
  const auto bytes = read_at(file, offset, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

std::string hex(const char* bytes, std::size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// The build-id among the notes of one segment, or "".
std::string build_id_in(const std::vector<char>& notes) {
  std::size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t content = name + padded(note.n_namesz);
    if (content + note.n_descsz > notes.size()) return "";
    const bool gnu = note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0;
    if (gnu && note.n_type == NT_GNU_BUILD_ID) return hex(notes.data() + content, note.n_descsz);
    at = content + padded(note.n_descsz);
  }
  return "";
}

bool is_elf64(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_phentsize == sizeof(Elf64_Phdr);
}

}  // namespace

Result<std::string> read_build_id(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  if (!file) {
    return make_error(ErrorCode::kUnavailable,
                      "\"" + library.string() + "\" cannot be read (" + std::strerror(errno) + "). Check the file.");
  }
  const auto header = read_struct<Elf64_Ehdr>(file, 0);
  if (!header || !is_elf64(*header)) return damaged(library, "not a 64-bit ELF file");
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = read_struct<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return damaged(library, "its program headers are truncated");
    if (segment->p_type != PT_NOTE) continue;
    if (segment->p_filesz > kMaxNoteBytes) return damaged(library, "its notes are too large");
    const auto notes = read_at(file, segment->p_offset, segment->p_filesz);
    if (!notes) return damaged(library, "its notes are truncated");
    if (std::string id = build_id_in(*notes); !id.empty()) return id;
  }
  return std::string();
}

}  // namespace kmux
