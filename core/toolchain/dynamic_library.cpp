#include "kmux/plugin/dynamic_library.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

#ifdef __SANITIZE_ADDRESS__  // an unloaded library's memory looks leaked, and reports cannot name the library
constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#else
constexpr int kMode = RTLD_NOW | RTLD_LOCAL;
#endif

std::string loader_text() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gives no reason" : text;
}

Error cannot_open_library(const std::string& what, const std::string& why) {
  return make_error(ErrorCode::kUnavailable,
                    "the compiled " + what + " cannot be loaded (" + why + "). Build it again on this machine.");
}

}  // namespace

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), kMode)) {
      return DynamicLibrary(std::shared_ptr<void>(handle, [](void* open) { dlclose(open); }), name);
    }
    tried.append(tried.empty() ? "" : "; ").append("\"" + name + "\": " + loader_text());
  }
  return make_error(ErrorCode::kUnavailable,
                    "cannot open a shared library (" + tried + "). Install it or add its folder to the loader's path.");
}

Result<void*> DynamicLibrary::symbol(const std::string& symbol_name) const {
  dlerror();
  void* address = dlsym(handle_.get(), symbol_name.c_str());
  if (address != nullptr) return address;
  return make_error(ErrorCode::kUnavailable, "no symbol \"" + symbol_name + "\" in \"" + name_ + "\" (" +
                                                 loader_text() + "). Install a newer version of that library.");
}

void MemoryLibrary::Closing::operator()(void* handle) const { dlclose(handle); }

Result<MemoryLibrary> MemoryLibrary::open(std::string_view bytes, const std::string& what) {
  Descriptor file;
  std::string why;
  void* const handle = open_library_of(bytes, what, file, why);
  if (handle == nullptr) return cannot_open_library(what, why);
  return MemoryLibrary(std::move(file), handle);
}

void* MemoryLibrary::symbol(const std::string& name) const { return dlsym(handle_.get(), name.c_str()); }

namespace {

// A file read in pieces, with its name for messages.
struct LibraryBytes {
  const std::filesystem::path& path;
  Descriptor file;

  Error damaged(const char* why) const {
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + path.string() + "\" is not a usable library (" + why + "). Build or install it again.");
  }
  // Returns `size` bytes at `offset`, or an error with `why` if the file is shorter.
  Result<std::string> at(std::uint64_t offset, std::size_t size, const char* why) const {
    std::string bytes(size, '\0');
    if (::pread(file.get(), bytes.data(), size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size)) return bytes;
    return damaged(why);
  }
};

constexpr std::size_t kMaxTableBytes = 1 << 20;  // bytes of headers or commands; libraries have some thousands
constexpr const char* kNoLibrary = "not a 64-bit ELF or Mach-O file";

// Returns the little-endian number at `at`.
template <class T>
T little(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

// Returns the big-endian number at `at`.
template <class T>
T big(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

std::string hex_digits(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

// Returns the build-id among the notes of one segment, or "".
std::string id_in_notes(std::string_view notes) {
  constexpr std::size_t kHeader = 12;
  constexpr std::uint32_t kBuildId = 3;
  constexpr std::string_view kGnu("GNU\0", 4);
  for (std::size_t at = 0; at + kHeader <= notes.size();) {
    const std::size_t name_size = little<std::uint32_t>(notes, at);
    const std::size_t size = little<std::uint32_t>(notes, at + 4);
    const std::size_t content = at + kHeader + padded(name_size);
    if (content + size > notes.size()) return "";
    const bool is_it = little<std::uint32_t>(notes, at + 8) == kBuildId && name_size == kGnu.size();
    if (is_it && notes.substr(at + kHeader, kGnu.size()) == kGnu) return hex_digits(notes.substr(content, size));
    at = content + padded(size);
  }
  return "";
}

Result<std::string> id_of_elf(const LibraryBytes& library) {
  constexpr std::size_t kHeader = 64, kSegment = 56, kMaxNotes = 1 << 16;
  constexpr std::uint32_t kNote = 4;
  KMUX_ASSIGN(const std::string header, library.at(0, kHeader, kNoLibrary));
  const bool is_known = header[4] == 2 && header[5] == 1 && little<std::uint16_t>(header, 54) == kSegment;
  if (!is_known) return library.damaged(kNoLibrary);
  const std::size_t size = little<std::uint16_t>(header, 56) * kSegment;
  KMUX_ASSIGN(const std::string segments,
              library.at(little<std::uint64_t>(header, 32), size, "its program headers are truncated"));
  for (std::size_t at = 0; at < segments.size(); at += kSegment) {
    if (little<std::uint32_t>(segments, at) != kNote) continue;
    const auto bytes = little<std::uint64_t>(segments, at + 32);
    if (bytes > kMaxNotes) return library.damaged("its notes are too large");
    KMUX_ASSIGN(const std::string notes,
                library.at(little<std::uint64_t>(segments, at + 8), bytes, "its notes are truncated"));
    if (std::string id = id_in_notes(notes); !id.empty()) return id;
  }
  return std::string();
}

// Returns the UUID of the Mach-O file at `offset`.
Result<std::string> id_of_mach(const LibraryBytes& library, std::uint64_t offset) {
  constexpr std::size_t kHeader = 32, kUuid = 16, kLeast = 8;
  constexpr std::uint32_t kMagic = 0xfeedfacf, kUuidCommand = 0x1b;
  KMUX_ASSIGN(const std::string header, library.at(offset, kHeader, kNoLibrary));
  if (little<std::uint32_t>(header, 0) != kMagic) return library.damaged(kNoLibrary);
  const auto size = little<std::uint32_t>(header, 20);
  if (size > kMaxTableBytes) return library.damaged("its load commands are too large");
  KMUX_ASSIGN(const std::string commands, library.at(offset + kHeader, size, "its load commands are truncated"));
  for (std::size_t at = 0; at + kLeast <= commands.size();) {
    const std::size_t length = little<std::uint32_t>(commands, at + 4);
    if (length < kLeast || length > commands.size() - at) return library.damaged("its load commands are damaged");
    const bool is_it = little<std::uint32_t>(commands, at) == kUuidCommand && length >= kLeast + kUuid;
    if (is_it) return hex_digits(std::string_view(commands).substr(at + kLeast, kUuid));
    at += length;
  }
  return std::string();
}

#if defined(__aarch64__)
constexpr std::uint32_t kOwnProcessor = 0x0100000c;
#else
constexpr std::uint32_t kOwnProcessor = 0x01000007;  // x86-64
#endif

// The parts of a fat file are Mach-O files of one processor each. Its own numbers are big-endian.
Result<std::string> id_of_fat(const LibraryBytes& library, bool is_wide) {
  const std::size_t entry = is_wide ? 32 : 20;
  KMUX_ASSIGN(const std::string header, library.at(0, 8, kNoLibrary));
  const std::size_t size = big<std::uint32_t>(header, 4) * entry;
  if (size > kMaxTableBytes) return library.damaged(kNoLibrary);  // a Java class, which begins with the same bytes
  KMUX_ASSIGN(const std::string parts, library.at(8, size, "its list of parts is truncated"));
  for (std::size_t at = 0; at < parts.size(); at += entry) {
    if (big<std::uint32_t>(parts, at) != kOwnProcessor) continue;
    return id_of_mach(library, is_wide ? big<std::uint64_t>(parts, at + 8) : big<std::uint32_t>(parts, at + 8));
  }
  return library.damaged("it has no part for this processor");
}

}  // namespace

Result<std::string> read_build_id(const std::filesystem::path& path) {
  const LibraryBytes library{path, Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  if (!library.file.is_open()) {
    return make_error(ErrorCode::kUnavailable,
                      "\"" + path.string() + "\" cannot be read (" + std::strerror(errno) + "). Check the file.");
  }
  KMUX_ASSIGN(const std::string magic, library.at(0, 4, kNoLibrary));
  if (magic ==
      "\x7f"
      "ELF")
    return id_of_elf(library);
  if (magic == "\xca\xfe\xba\xbe" || magic == "\xca\xfe\xba\xbf") return id_of_fat(library, magic[3] == '\xbf');
  return id_of_mach(library, 0);
}

namespace {

namespace fs = std::filesystem;

std::vector<std::string> packages_of(const std::string& venv) {
  std::vector<std::string> found;
  for (const fs::path& folder : entries_in(fs::path(venv) / "lib")) {
    if (folder.filename().string().starts_with("python3")) found.push_back((folder / "site-packages").string());
  }
  std::ranges::sort(found);
  return found;
}

// Returns the file of the shared object or program that contains `code`.
fs::path file_with(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  return fs::absolute(info.dli_fname, error);
}

}  // namespace

std::vector<std::string> python_packages(const std::string& venv, const void* own_code) {
  std::vector<std::string> found = venv.empty() ? std::vector<std::string>() : packages_of(venv);
  for (fs::path folder = file_with(own_code).parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name != "site-packages" && name != "dist-packages") continue;
    found.push_back(folder.string());
    break;
  }
  return found;
}

}  // namespace kmux
