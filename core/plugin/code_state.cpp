#include "kmux/plugin/code_state.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <optional>
#include <utility>

#include "kmux/plugin/kernel_names.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

/// The tables of an ELF file, read with bounds checks.
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

  /// Calls `take` with each symbol of the file and its name; dynamic symbols are visited twice.
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
  std::uint64_t names_ = 0;  // the section with the section names
};

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// Sections written only at load time hold no data of the program.
bool holds_data(const Elf64_Shdr& section, std::string_view name) {
  const bool is_data = section.sh_type == SHT_PROGBITS || section.sh_type == SHT_NOBITS;
  return is_data && (section.sh_flags & SHF_WRITE) != 0 && section.sh_size != 0 &&
         !begins_with_one_of(name, {".data.rel.ro", ".relro_padding", ".ctors", ".dtors", ".tm_clone_table", ".got"});
}

/// Collects the names of an object file's variables.
class VariableNames {
 public:
  explicit VariableNames(const ObjectFile& file) : file_(file), has_names_(file.sections().size()) {}

  /// Adds the name of `symbol` if it is a variable.
  void add_symbol(const Elf64_Sym& symbol, std::string_view name) {
    if (symbol.st_shndx != SHN_COMMON && !note_variable(symbol)) return;
    if (!begins_with_one_of(name, {"DW.ref."})) names_.push_back(demangled(std::string(name)));
  }

  /// Adds the names of the data sections without named variables.
  void add_sections_without_names() {
    for (std::size_t i = 0; i < has_names_.size(); ++i) {
      if (!has_names_[i] && is_data(i)) names_.emplace_back(file_.name_of(file_.sections()[i]));
    }
  }

  std::vector<std::string> sorted() && {
    std::ranges::sort(names_);
    names_.erase(std::ranges::unique(names_).begin(), names_.end());
    return std::move(names_);
  }

 private:
  bool is_data(std::size_t section) const {
    const Elf64_Shdr& header = file_.sections()[section];
    return holds_data(header, file_.name_of(header));
  }

  /// Returns true if `symbol` is a variable in a data section, and marks that section as named.
  bool note_variable(const Elf64_Sym& symbol) {
    const auto kind = ELF64_ST_TYPE(symbol.st_info);
    const bool is_variable = (kind == STT_OBJECT || kind == STT_TLS) && symbol.st_size != 0;
    if (!is_variable || symbol.st_shndx >= has_names_.size() || !is_data(symbol.st_shndx)) return false;
    has_names_[symbol.st_shndx] = true;
    return true;
  }

  const ObjectFile& file_;
  std::vector<bool> has_names_;  // of each section
  std::vector<std::string> names_ = {};
};

}  // namespace

std::vector<std::string> variables_of_object(std::string_view object) {
  const std::optional<ObjectFile> file = ObjectFile::of(object);
  if (!file) return {};
  VariableNames names(*file);
  file->for_each_symbol([&](const Elf64_Sym& symbol, std::string_view name) { names.add_symbol(symbol, name); });
  names.add_sections_without_names();
  return std::move(names).sorted();
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
