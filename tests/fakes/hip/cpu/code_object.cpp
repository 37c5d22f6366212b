#include "cpu/code_object.h"

#include <array>
#include <cstring>
#include <elf.h>
#include <string_view>

#include "kmux/artifact.h"
#include "kmux/plugin/word_list.h"

#include "kernels/grid_code.h"

namespace kmux::fake_hip {
namespace {

#if defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_X86_64;
#endif

Elf64_Ehdr header_of(const void* code) {
  Elf64_Ehdr file;
  std::memcpy(&file, code, sizeof file);
  return file;
}

// Hides all names except those of the kernels, as in device code: kmux queries whether code mentions a name.
std::string veiled(std::string content) {
  for (char& c : content) c = static_cast<char>(c ^ 0x80);
  return content;
}

std::string lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  return lines;
}

template <class Record>
std::string bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof record};
}

// As in device code, the symbol table tells which variables are in writable sections.
struct Symbols {
  std::string table = bytes_of(Elf64_Sym{});
  std::string names = std::string(1, '\0');

  void add(const std::string& variable) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = 1;
    symbol.st_size = 1;
    table += bytes_of(symbol);
    names += variable + '\0';
  }
  // Returns sections ".bss", which has all variables, ".symtab" and ".strtab", at `offset` of the file.
  std::string sections(std::size_t offset) const {
    std::array<Elf64_Shdr, 4> all{};
    const std::size_t table_at = offset + sizeof all;
    all[1].sh_type = SHT_NOBITS;
    all[1].sh_flags = SHF_ALLOC | SHF_WRITE;
    all[1].sh_size = table.size() / sizeof(Elf64_Sym) - 1;
    all[2].sh_type = SHT_SYMTAB;
    all[2].sh_link = 3;
    all[2].sh_offset = table_at;
    all[2].sh_size = table.size();
    all[3].sh_type = SHT_STRTAB;
    all[3].sh_offset = table_at + table.size();
    all[3].sh_size = names.size();
    return bytes_of(all) + table + names;
  }
};

Symbols symbols_of(const CodeObject& code) {
  Symbols symbols;
  const auto variables = fakes::GridCode::variables(code.compiled);
  for (const std::string& name : variables ? *variables : std::vector<std::string>{}) symbols.add(name);
  return symbols;
}

}  // namespace

std::string pack(const CodeObject& code) {
  Artifact parts;
  parts.set("arch", code.arch);
  parts.set("kernels", lines_of(code.kernels));
  parts.set("variables", lines_of(code.variables));
  parts.set("compiled", veiled(code.compiled));
  const std::string content = serialize(parts);
  Elf64_Ehdr file{};
  std::memcpy(file.e_ident, ELFMAG, SELFMAG);
  file.e_ident[EI_CLASS] = ELFCLASS64;
  file.e_machine = kMachine;
  file.e_shoff = sizeof file + content.size();  // which also marks the end of the content
  file.e_shnum = 4;
  file.e_shentsize = sizeof(Elf64_Shdr);
  return bytes_of(file) + content + symbols_of(code).sections(file.e_shoff);
}

bool is_code(const void* code) { return std::memcmp(header_of(code).e_ident, ELFMAG, SELFMAG) == 0; }

bool is_for_this_machine(const void* code) { return header_of(code).e_machine == kMachine; }

Result<CodeObject> unpack(const void* code) {
  const char* const begin = static_cast<const char*>(code) + sizeof(Elf64_Ehdr);
  KMUX_ASSIGN(const Artifact parts, deserialize(std::string_view(begin, header_of(code).e_shoff - sizeof(Elf64_Ehdr))));
  for (const char* const part : {"arch", "kernels", "variables", "compiled"}) {
    if (parts.find(part) == nullptr) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the code has no part \"" + std::string(part) + "\". Compile it again.");
    }
  }
  return CodeObject{*parts.find("arch"), split_lines(*parts.find("kernels")), veiled(*parts.find("compiled")),
                    split_lines(*parts.find("variables"))};
}

}  // namespace kmux::fake_hip
