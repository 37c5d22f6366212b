#include "cubin.h"

#include <cctype>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace kmux::fake_cuda {
namespace {

constexpr int kMachine = 190;  // EM_CUDA
constexpr int kFirstAbiWithArchInSecondByte = 8;  // of e_flags; before, in the first
constexpr unsigned char kEntry = 0x10;  // STO_CUDA_ENTRY, in st_other: a kernel, not a device function
constexpr unsigned char kSizedAttribute = 4;  // EIFMT_SVAL: two bytes of size, then that many bytes
constexpr unsigned char kParameterInfo = 0x17;
constexpr std::string_view kInfo = ".nv.info.";
constexpr std::string_view kShared = ".nv.shared.";

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

struct Image {
  const char* bytes;
  Elf64_Ehdr header;

  Elf64_Shdr section(std::size_t index) const {
    return read<Elf64_Shdr>(bytes + header.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::string_view text(const Elf64_Shdr& strings, std::size_t offset) const {
    return bytes + strings.sh_offset + offset;
  }
};

// Each parameter: index (4 bytes), ordinal (2), offset (2), then 4 bytes whose upper 14 bits are the size.
std::vector<Parameter> parameters_of(const Image& image, const Elf64_Shdr& info) {
  std::vector<Parameter> parameters;
  const char* at = image.bytes + info.sh_offset;
  for (const char* const end = at + info.sh_size; at + 4 <= end;) {
    const bool sized = at[0] == kSizedAttribute;
    const std::size_t size = sized ? read<std::uint16_t>(at + 2) : 0;
    if (sized && at[1] == kParameterInfo && size >= 12) {
      const std::size_t ordinal = read<std::uint16_t>(at + 8);
      if (parameters.size() <= ordinal) parameters.resize(ordinal + 1);
      parameters[ordinal] = {read<std::uint16_t>(at + 10), read<std::uint32_t>(at + 12) >> 18};
    }
    at += 4 + size;
  }
  return parameters;
}

void read_symbols(const Image& image, const Elf64_Shdr& table, Cubin& cubin) {
  const Elf64_Shdr strings = image.section(table.sh_link);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = read<Elf64_Sym>(image.bytes + table.sh_offset + at);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT) {
      cubin.variables.try_emplace(std::string(image.text(strings, symbol.st_name)), symbol.st_size);
    }
    // Kernels that are static or in an unnamed namespace are local symbols, which the driver finds as well.
    const bool is_kernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & kEntry) != 0;
    if (is_kernel && symbol.st_shndx != SHN_UNDEF) {
      cubin.kernels.try_emplace(std::string(image.text(strings, symbol.st_name)));
    }
  }
}

int arch_of(const Elf64_Ehdr& header) {
  const bool second = header.e_ident[EI_ABIVERSION] >= kFirstAbiWithArchInSecondByte;
  return static_cast<int>(header.e_flags >> (second ? 8 : 0) & 0xff);
}

void read_section(const Image& image, const Elf64_Shdr& section, Cubin& cubin) {
  const std::string_view name = image.text(image.section(image.header.e_shstrndx), section.sh_name);
  const auto kernel = [&](std::string_view prefix) -> CubinKernel* {
    if (!name.starts_with(prefix)) return nullptr;
    const auto found = cubin.kernels.find(std::string(name.substr(prefix.size())));
    return found == cubin.kernels.end() ? nullptr : &found->second;
  };
  if (CubinKernel* found = kernel(kInfo)) found->parameters = parameters_of(image, section);
  if (CubinKernel* found = kernel(kShared)) found->static_shared_bytes = static_cast<int>(section.sh_size);
}

}  // namespace

std::optional<Cubin> read_cubin(const void* code) {
  const char* bytes = static_cast<const char*>(code);
  if (std::strncmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64) return std::nullopt;
  const Image image{bytes, read<Elf64_Ehdr>(bytes)};
  if (image.header.e_machine != kMachine) return std::nullopt;
  Cubin cubin;
  cubin.arch = arch_of(image.header);
  for (std::size_t i = 0; i < image.header.e_shnum; ++i) {
    if (image.section(i).sh_type == SHT_SYMTAB) read_symbols(image, image.section(i), cubin);
  }
  for (std::size_t i = 0; i < image.header.e_shnum; ++i) read_section(image, image.section(i), cubin);
  return cubin;
}

std::vector<FatbinCode> read_fatbin(const void* code) {
  constexpr std::uint32_t kMagic = 0xba55ed50;
  const char* at = static_cast<const char*>(code);
  std::vector<FatbinCode> entries;
  if (std::memchr(at, 0, 4) != nullptr || read<std::uint32_t>(at) != kMagic) return entries;
  const char* const end = at + 16 + read<std::uint64_t>(at + 8);
  for (at += 16; at < end; at += read<std::uint32_t>(at + 4) + read<std::uint64_t>(at + 8)) {
    entries.push_back({static_cast<int>(read<std::uint32_t>(at + 28)), read<std::uint16_t>(at) == 1});
  }
  return entries;
}

bool is_junk(const void* code) {
  const auto first = static_cast<unsigned char>(*static_cast<const char*>(code));
  return std::isprint(first) == 0 && std::isspace(first) == 0 && !read_cubin(code);
}

}  // namespace kmux::fake_cuda
