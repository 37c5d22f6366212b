#include "library_linker.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <iterator>
#include <optional>

#include "kmux/plugin/compilation_folder.h"
#include "kmux/plugin/compile_log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"
#include "kmux/plugin/word_list.h"

namespace kmux {
namespace {

constexpr const char* kEntry = "kmux-entry.cpp";
constexpr const char* kExports = "kmux-exports.map";
constexpr const char* kLibrary = "/kmux-library.so";

Error malformed_library(const std::string& why) {
  return make_error(ErrorCode::kInternal,
                    "a backend's parts of a library cannot be used (" + why + "). This is a bug of its plugin.");
}

// Returns true for letters, digits, '_', '-' and '.', neither '.' nor '-' first: a command line cannot misread these.
bool is_plain_file(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !name.empty() && name.front() != '.' && name.front() != '-' && std::ranges::all_of(name, is_plain);
}

std::string export_map(const std::vector<std::string>& symbols) {
  std::string text = "{\n  global:\n";
  for (const std::string& symbol : symbols) text += "    " + symbol + ";\n";
  return text + "  local: *;\n};\n";
}

Status write_parts(const CompilationFolder& folder, const LibraryParts& parts) {
  for (const Artifact::Part& part : parts.backend.parts) {
    if (!is_plain_file(part.name)) return malformed_library("part \"" + part.name + "\" is not a file name");
    KMUX_TRY(folder.write_own(part.name, part.content));
  }
  KMUX_TRY(folder.write_own(kEntry, parts.entry));
  KMUX_TRY(folder.write_own(kExports, export_map(parts.exported)));
  return Ok{};
}

// Libraries that every process has are loaded dynamically; the used parts of libstdc++ are linked statically.
std::vector<std::string> arguments_of(const CompilationFolder& folder, const LibraryParts& parts) {
  const std::string own = folder.own() + "/";
  std::vector<std::string> arguments = {"-std=c++17",
                                        "-O2",
                                        "-w",
                                        "-fPIC",
                                        "-shared",
                                        "-fvisibility=hidden",
                                        "-static-libgcc",
                                        "-static-libstdc++",
                                        "-Xlinker",
                                        "--version-script=" + own + kExports,
                                        "-Wl,-z,defs",
                                        "-Wl,--as-needed",
                                        "-Wl,--gc-sections",
                                        "-Wl,-s",
                                        "-o",
                                        folder.own() + kLibrary,
                                        own + "launcher.cpp",
                                        own + kEntry};
  add_assembler_folder(arguments, folder.own());
  for (const Artifact::Part& part : parts.backend.parts) {
    if (part.name.ends_with(".o")) arguments.push_back(own + part.name);
  }
  for (const std::string& library : parts.libraries) arguments.push_back("-l" + library);
  arguments.emplace_back("-lm");
  return arguments;
}

Status run_compiler(const std::string& compiler, const CompilationFolder& folder, const LibraryParts& parts) {
  Command command = compiler_command({compiler}, folder);
  // Symbolic links were resolved, and clang++ is one: as "clang" it would link as a C compiler.
  if (std::filesystem::path(compiler).filename().string().starts_with("clang")) {
    command.argv.emplace_back("--driver-mode=g++");
  }
  std::ranges::move(arguments_of(folder, parts), std::back_inserter(command.argv));
  KMUX_ASSIGN(const ProcessResult result, run(command));
  if (result.exit_code == 0) return Ok{};
  return compile_error("cannot link the library", folder.without_folders(result.standard_error))
      .with("command", to_string(command));
}

Status check_library(std::string_view bytes, const LibraryParts& parts) {
  KMUX_ASSIGN(const LibraryFacts facts, read_library_facts(bytes));
  if (facts.exported != parts.exported) {
    return malformed_library("the library exports " + join(facts.exported) + ", not " + join(parts.exported));
  }
  for (const std::string& library : facts.needed) {
    const bool is_refused = library.starts_with("libtvm_ffi") || library.starts_with("libkmux");
    if (is_refused) return malformed_library("the library needs " + library);
  }
  return Ok{};
}

}  // namespace

Result<std::string> link_library(const LibraryParts& parts, const std::string& compiler) {
  if (parts.backend.find("launcher.cpp") == nullptr) return malformed_library("there is no launcher.cpp");
  for (const std::string& library : parts.libraries) {
    if (!is_plain_file(library)) return malformed_library("\"" + library + "\" is not a library");
  }
  KMUX_ASSIGN(const std::string program, find_host_compiler(compiler, "exporting"));
  KMUX_ASSIGN(const CompilationFolder folder, CompilationFolder::create("kmux-export"));
  KMUX_TRY(write_parts(folder, parts));
  KMUX_TRY(run_compiler(program, folder, parts));
  KMUX_ASSIGN(std::string bytes, read_file(folder.own() + kLibrary));
  KMUX_TRY(check_library(bytes, parts));
  return bytes;
}

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
                      std::string("what the linker made is not a usable library (") + why + "). Report this as a bug.");
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

  /// Returns the text at `offset` of the string table that belongs to `section`.
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
