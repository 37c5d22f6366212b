#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace kmux::nvidia {

/// A minimal ELF file that is a valid cubin.
struct CubinExample {
  struct Symbol {
    std::string name;
    unsigned char info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    unsigned char other = 0x10;  // a kernel
    unsigned short section = 1;
    std::vector<std::uint16_t> parameters = {};  // their sizes
    std::string records = {};                    // further ones
    std::uint64_t bytes = 0;                     // of a variable
  };
  std::vector<Symbol> symbols;
  unsigned flags = 0x06005a04;  // sm_90, as encoded by version 8 of the interface
  unsigned char abi = 8;
  std::string note = "-arch sm_90a -m 64 ";
  unsigned short machine = 190;

  std::string bytes() const {
    Image image;
    std::string names(1, '\0');
    std::string table(sizeof(Elf64_Sym), '\0');
    for (const Symbol& symbol : symbols) {
      Elf64_Sym entry{
          static_cast<Elf64_Word>(names.size()), symbol.info, symbol.other, symbol.section, 0, symbol.bytes};
      table.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      names += symbol.name + '\0';
    }
    image.add(SHT_NOTE, ".note.nv.tkinfo", note);
    image.add(SHT_SYMTAB, "", table).sh_link = 3;
    image.add(SHT_STRTAB, "", names);
    for (const Symbol& symbol : symbols) {
      const std::string records = infos(symbol.parameters) + symbol.records;
      if (!records.empty()) image.add(SHT_PROGBITS, ".nv.info." + symbol.name, records);
    }
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_ABIVERSION] = abi;
    header.e_machine = machine;
    header.e_flags = flags;
    return image.bytes(header);
  }

 private:
  struct Image {
    std::vector<Elf64_Shdr> sections{Elf64_Shdr{}};
    std::string titles = std::string(1, '\0');
    std::string body;

    Elf64_Shdr& add(unsigned type, const std::string& title, const std::string& content) {
      Elf64_Shdr& section = sections.emplace_back();
      section.sh_name = title.empty() ? 0 : static_cast<Elf64_Word>(titles.size());
      if (!title.empty()) titles += title + '\0';
      section.sh_type = type;
      section.sh_offset = sizeof(Elf64_Ehdr) + body.size();
      section.sh_size = content.size();
      body += content;
      return section;
    }
    std::string bytes(Elf64_Ehdr header) {
      add(SHT_STRTAB, "", titles);
      header.e_shoff = sizeof header + body.size();
      header.e_shnum = static_cast<unsigned short>(sections.size());
      header.e_shstrndx = static_cast<unsigned short>(sections.size() - 1);
      std::string file(reinterpret_cast<const char*>(&header), sizeof header);
      file += body;
      return file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
    }
  };

  // Returns EIATTR_KPARAM_INFO, one per parameter: index, ordinal, offset, and the size in the upper bits.
  static std::string infos(const std::vector<std::uint16_t>& sizes) {
    std::string text;
    std::uint16_t offset = 0;
    for (std::uint16_t i = 0; i < sizes.size(); ++i) {
      const std::uint16_t halves[] = {0x1704, 12, 0, 0, i, offset, 0, static_cast<std::uint16_t>(sizes[i] << 2)};
      text.append(reinterpret_cast<const char*>(halves), sizeof halves);
      offset = static_cast<std::uint16_t>(offset + sizes[i]);
    }
    return text;
  }
};

/// A fatbin of several of them and PTX, in the format of fatbinary.
struct FatbinExample {
  enum : std::uint16_t { kPtx = 1, kCubin = 2, kIntermediate = 8 };
  struct Entry {
    std::uint16_t kind;
    std::uint32_t arch;
    std::string code;
    std::uint64_t flags = 0;  // in addition to the common ones
  };
  static constexpr std::uint64_t kZstd = 0x8000, kLz4 = 0x2000, kOwnArch = 0x100000, kFamily = 0x200000;
  std::vector<Entry> entries;

  std::string bytes() const {
    std::string body;
    for (const Entry& entry : entries) {
      const bool is_compressed = (entry.flags & (kZstd | kLz4)) != 0;
      std::string code = entry.code;
      code.resize((code.size() + 7) / 8 * 8);
      add(body, entry.kind, std::uint16_t{0x101}, std::uint32_t{64}, std::uint64_t{code.size()});
      add(body, static_cast<std::uint32_t>(is_compressed ? entry.code.size() : 0), std::uint32_t{0});
      add(body, std::uint16_t{8}, std::uint16_t{1}, entry.arch, std::uint64_t{0}, entry.flags | 0x11);
      add(body, std::uint64_t{0}, std::uint64_t{is_compressed ? 4096U : 0U});
      body += code;
    }
    std::string file;
    add(file, std::uint32_t{0xba55ed50}, std::uint16_t{1}, std::uint16_t{16}, std::uint64_t{body.size()});
    return file + body;
  }

 private:
  template <class... Members>
  static void add(std::string& to, Members... members) {
    (to.append(reinterpret_cast<const char*>(&members), sizeof members), ...);
  }
};

}  // namespace kmux::nvidia
