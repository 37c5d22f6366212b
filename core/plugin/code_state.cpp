#include "kmux/plugin/code_state.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <optional>

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

/// The tables of an ELF file, each read with its bounds.
class ObjectFile {
 public:
  static std::optional<ObjectFile> of(std::string_view bytes) {
    ObjectFile file(bytes);
    const auto header = file.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = file.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return std::nullopt;
      file.sections_.push_back(*section);
    }
    file.names_ = header->e_shstrndx;
    return file;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name_of(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }

  /// Calls `take` with each symbol of the file and its name: twice with those that a loader looks up, too.
  template <class Take>
  void for_each_symbol(Take take) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
      for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= section.sh_size; i += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(section.sh_offset + i);
        if (!symbol) return;
        take(*symbol, text(section.sh_link, symbol->st_name));
      }
    }
  }

 private:
  explicit ObjectFile(std::string_view bytes) : bytes_(bytes) {}

  template <class Record>
  std::optional<Record> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Record)) return std::nullopt;
    Record record;
    std::memcpy(&record, bytes_.data() + offset, sizeof record);
    return record;
  }
  std::string_view text(std::uint64_t section, std::uint64_t offset) const {
    if (section >= sections_.size() || sections_[section].sh_offset > bytes_.size()) return {};
    std::string_view names = bytes_.substr(sections_[section].sh_offset);
    names = names.substr(0, std::min<std::uint64_t>(names.size(), sections_[section].sh_size));
    if (offset >= names.size()) return {};
    names.remove_prefix(offset);
    return names.substr(0, names.find('\0'));
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::uint64_t names_ = 0;  // the section that has the names of sections
};

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// What is written once, when the code is loaded, is no data of the program.
bool holds_data(const Elf64_Shdr& section, std::string_view name) {
  const bool is_data = section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS;
  return is_data && (section.sh_flags & SHF_WRITE) != 0 && section.sh_size != 0 &&
         !begins_with_one_of(name, {".data.rel.ro", ".relro_padding", ".ctors", ".dtors", ".tm_clone_table", ".got"});
}

}  // namespace

std::vector<std::string> variables_of_object(std::string_view object) {
  std::vector<std::string> names;
  const std::optional<ObjectFile> file = ObjectFile::of(object);
  if (!file) return names;
  std::vector<bool> named(file->sections().size());
  file->for_each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
    const auto kind = ELF64_ST_TYPE(symbol.st_info);
    const bool is_variable = (kind == STT_OBJECT || kind == STT_TLS) && symbol.st_size != 0;
    const bool is_common = symbol.st_shndx == SHN_COMMON;
    if (!is_common && symbol.st_shndx >= named.size()) return;
    if (!is_common) {
      const Elf64_Shdr& section = file->sections()[symbol.st_shndx];
      if (!is_variable || !holds_data(section, file->name_of(section))) return;
      named[symbol.st_shndx] = true;
    }
    if (!begins_with_one_of(name, {"DW.ref."})) names.push_back(demangled(std::string(name)));
  });
  for (std::size_t i = 0; i < named.size(); ++i) {  // of an object without names
    const Elf64_Shdr& section = file->sections()[i];
    if (!named[i] && holds_data(section, file->name_of(section))) names.emplace_back(file->name_of(section));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

void set_state(Artifact& artifact, const std::vector<std::string>& variables) {
  if (variables.empty()) return;
  std::string lines;
  for (const std::string& name : variables) lines.append(name).append("\n");
  artifact.set(std::string(kStatePart), std::move(lines));
}

std::vector<std::string> state_of(const Artifact& artifact) {
  const std::string* const part = artifact.find(kStatePart);
  return part == nullptr ? std::vector<std::string>{} : split_lines(*part);
}

}  // namespace kmux
