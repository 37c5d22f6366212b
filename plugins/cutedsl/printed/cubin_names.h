#pragma once

#include <elf.h>
#include <stddef.h>
#include <string.h>

namespace kmux::cutedsl {

/// The names of the kernels in a cubin, which they point into.
///
/// Source: ELF-64 Object File Format 1.5; binutils' names for NVIDIA's ELF files.
class CubinNames {
 public:
  CubinNames(const unsigned char* code, size_t size) : code_(code), size_(size) {}

  /// Calls `visit(const char* name)` for each; for none if the code is no cubin.
  template <class Visit>
  void for_each(Visit visit) const {
    Elf64_Ehdr header;
    if (!read(0, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != kMachine) return;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr table;
      Elf64_Shdr strings;
      if (!read(header.e_shoff + i * sizeof table, &table) || table.sh_type != SHT_SYMTAB) continue;
      if (read(header.e_shoff + table.sh_link * sizeof strings, &strings)) visit_symbols(table, strings, visit);
    }
  }

 private:
  static constexpr unsigned kMachine = 190;
  static constexpr unsigned char kEntry = 0x10;  // in st_other of a kernel

  template <class T>
  bool read(size_t offset, T* value) const {
    if (offset > size_ || size_ - offset < sizeof *value) return false;
    memcpy(value, code_ + offset, sizeof *value);
    return true;
  }

  template <class Visit>
  void visit_symbols(const Elf64_Shdr& table, const Elf64_Shdr& strings, Visit& visit) const {
    Elf64_Sym symbol;
    for (size_t at = 0; at + sizeof symbol <= table.sh_size && read(table.sh_offset + at, &symbol);
         at += sizeof symbol) {
      const bool is_kernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntry) != 0;
      const size_t begin = strings.sh_offset + symbol.st_name;
      if (!is_kernel || symbol.st_shndx == SHN_UNDEF || begin >= size_) continue;
      if (memchr(code_ + begin, '\0', size_ - begin) != nullptr) visit(reinterpret_cast<const char*>(code_ + begin));
    }
  }

  const unsigned char* code_;
  size_t size_;
};

}  // namespace kmux::cutedsl
