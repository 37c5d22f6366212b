#include "cpu/code_object.h"

#include <cstring>
#include <elf.h>
#include <string_view>

#include "kmux/artifact.h"
#include "kmux/plugin/words.h"

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

// As in a device's code, no names are to be read in it but those of the kernels: whether it mentions a name is asked.
std::string veiled(std::string content) {
  for (char& c : content) c = static_cast<char>(c ^ 0x80);
  return content;
}

std::string lines_of(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  return lines;
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
  file.e_shoff = sizeof file + content.size();  // where sections would be: the end
  return std::string(reinterpret_cast<const char*>(&file), sizeof file) + content;
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
