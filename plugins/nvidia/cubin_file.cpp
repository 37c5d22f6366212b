#include "nvidia/cubin_file.h"

#include <algorithm>
#include <string>

namespace kmux::nvidia {
namespace {

// Source: binutils' names for NVIDIA's ELF files (EM_CUDA).
constexpr unsigned kMachineCuda = 190;

Error no_cubin(const std::string& why) {
  return make_error(ErrorCode::kInvalidArgument,
                    "the code is no cubin (" + why + "). Make it with nvcc -cubin or NVRTC, for one architecture.");
}

}  // namespace

Result<CubinFile> CubinFile::open(std::string_view bytes) {
  CubinFile file(bytes);
  const auto from = [&](std::size_t offset) { return bytes.substr(std::min(offset, bytes.size())); };
  if (!read_from(bytes, file.header_)) return no_cubin("it is too short");
  if (std::memcmp(file.header_.e_ident, ELFMAG, SELFMAG) != 0) return no_cubin("it is not ELF");
  if (file.header_.e_ident[EI_CLASS] != ELFCLASS64) return no_cubin("it is not of 64 bits");
  if (file.header_.e_machine != kMachineCuda) return no_cubin("it is for another machine");
  std::string_view table = from(file.header_.e_shoff);
  for (std::size_t i = 0; i < file.header_.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_from(table, section)) return no_cubin("it is truncated");
    table.remove_prefix(sizeof section);
    file.sections_.push_back(section);
  }
  return file;
}

std::string_view CubinFile::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
  return bytes_.substr(section.sh_offset, section.sh_size);
}

std::string_view CubinFile::text(std::size_t section, std::size_t offset) const {
  if (section >= sections_.size()) return {};
  const std::string_view texts = content(sections_[section]);
  if (offset >= texts.size()) return {};
  return texts.substr(offset, texts.find('\0', offset) - offset);
}

}  // namespace kmux::nvidia
