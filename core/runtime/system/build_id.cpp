#include "build_id.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <vector>

namespace kmux {
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
