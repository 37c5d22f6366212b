#include "library_facts.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>

namespace kmux {
namespace {

class LibraryReader {
 public:
  explicit LibraryReader(std::string_view bytes) : bytes_(bytes) {}

  Result<LibraryFacts> read() {
    KMUX_TRY(read_sections());
    LibraryFacts facts;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_DYNSYM) KMUX_TRY(read_symbols(section, facts));
      if (section.sh_type == SHT_DYNAMIC) KMUX_TRY(read_needed(section, facts));
    }
    std::ranges::sort(facts.exported);
    return facts;
  }

 private:
  static Error damaged(const char* why) {
    return make_error(ErrorCode::kInternal,
                      std::string("what the linker made is no usable library (") + why + "). Report this as a bug.");
  }

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  Status read_sections() {
    const auto header = at<Elf64_Ehdr>(0);
    const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                        header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr);
    if (!is_elf) return damaged("not a 64-bit ELF file");
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return damaged("its section headers are truncated");
      sections_.push_back(*section);
    }
    return Ok{};
  }

  /// The text at `offset` of the string table that belongs to `section`.
  Result<std::string> text_of(const Elf64_Shdr& section, std::uint64_t offset) const {
    if (section.sh_link >= sections_.size()) return damaged("a table has no names");
    const std::uint64_t begin = sections_[section.sh_link].sh_offset + offset;
    if (begin >= bytes_.size()) return damaged("a name lies outside of it");
    const std::string_view rest = bytes_.substr(begin);
    return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
  }

  Status read_symbols(const Elf64_Shdr& section, LibraryFacts& facts) const {
    for (std::uint64_t i = 1; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return damaged("its symbols are truncated");
      const bool is_version = symbol->st_shndx == SHN_ABS;
      if (symbol->st_shndx == SHN_UNDEF || is_version || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
      KMUX_ASSIGN(std::string name, text_of(section, symbol->st_name));
      facts.exported.push_back(std::move(name));
    }
    return Ok{};
  }

  Status read_needed(const Elf64_Shdr& section, LibraryFacts& facts) const {
    for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
      const auto entry = at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
      if (!entry) return damaged("its dynamic section is truncated");
      if (entry->d_tag != DT_NEEDED) continue;
      KMUX_ASSIGN(std::string name, text_of(section, entry->d_un.d_val));
      facts.needed.push_back(std::move(name));
    }
    return Ok{};
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace

Result<LibraryFacts> read_library_facts(std::string_view bytes) { return LibraryReader(bytes).read(); }

}  // namespace kmux
