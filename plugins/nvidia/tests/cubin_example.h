#pragma once

#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace kmux::nvidia {

/// The least that an ELF file needs to look like a cubin.
struct CubinExample {
  struct Symbol {
    std::string name;
    unsigned char info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    unsigned char other = 0x10;  // a kernel
    unsigned short section = 1;
  };
  std::vector<Symbol> symbols;
  unsigned flags = 0x06005a04;  // sm_90, as version 8 of the interface has it
  unsigned char abi = 8;
  std::string note = "-arch sm_90a -m 64 ";
  unsigned short machine = 190;

  std::string bytes() const {
    std::string names(1, '\0');
    std::string table(sizeof(Elf64_Sym), '\0');
    for (const Symbol& symbol : symbols) {
      Elf64_Sym entry{static_cast<Elf64_Word>(names.size()), symbol.info, symbol.other, symbol.section, 0, 0};
      table.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      names += symbol.name + '\0';
    }
    const std::string titles = std::string(1, '\0') + ".note.nv.tkinfo" + '\0';
    std::vector<Elf64_Shdr> sections(5);
    std::string body;
    const auto place = [&](std::size_t number, unsigned type, const std::string& content) {
      sections[number].sh_type = type;
      sections[number].sh_offset = sizeof(Elf64_Ehdr) + body.size();
      sections[number].sh_size = content.size();
      body += content;
    };
    place(1, SHT_NOTE, note);
    place(2, SHT_SYMTAB, table);
    place(3, SHT_STRTAB, names);
    place(4, SHT_STRTAB, titles);
    sections[1].sh_name = 1;
    sections[2].sh_link = 3;
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = abi;
    header.e_machine = machine;
    header.e_flags = flags;
    header.e_shoff = sizeof header + body.size();
    header.e_shnum = static_cast<unsigned short>(sections.size());
    header.e_shstrndx = 4;
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    file += body;
    return file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  }
};

}  // namespace kmux::nvidia
