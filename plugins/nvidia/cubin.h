#pragma once

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

#include "nvidia/target.h"

namespace kmux::nvidia {

/// The symbols of the kernels in a cubin, sorted.
///
/// Errors: invalid_argument if it is not a cubin (an ELF file of 64 bits for NVIDIA's devices).
Result<std::vector<std::string>> cubin_kernels(std::string_view cubin);

/// The variables that PTX defines outside of its functions, in constant and global memory; without sizes.
///
/// Source: PTX ISA, "State Spaces".
std::vector<CodeVariable> ptx_variables(std::string_view ptx);

/// The architecture that a cubin is for, with its suffix.
///
/// Errors: as `cubin_kernels`.
Result<Arch> cubin_arch(std::string_view cubin);

/// The symbol of each of `kernels` in code that has the symbols `present`, by `kmux::find_symbol`.
///
/// Errors: compile_failed that names the kernel that is not there, or is there more than once, and those that are.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels,
                                              const std::vector<std::string>& present);

/// `find_kernels` in a cubin.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels, std::string_view cubin);

/// Writes into `artifact` what each of `kernels` takes: registers, local, shared and constant bytes, the most threads (part
/// "kernels.json", docs/plugin-abi.md). `symbols` are theirs in `code`. Nothing where the driver has the code still to compile
/// or to unpack: for PTX, and a compressed fatbin.
///
/// Errors: as `CubinFile::open`.
/// Source: the cubins of nvcc 13.0, compared with what `ptxas -v` says; CUDA C++ Programming Guide, "Technical
///         Specifications per Compute Capability".
Status set_kernel_attributes(Artifact& artifact, const std::vector<std::string>& kernels,
                             const std::vector<std::string>& symbols, std::string_view code, bool is_ptx);

/// The sections of a cubin. Its offsets are not trusted: what lies outside of the file is empty.
///
/// Lifetime: borrows the bytes.   Source: ELF-64 Object File Format 1.5.
class CubinFile {
 public:
  /// Errors: invalid_argument if it is not a 64-bit ELF file for NVIDIA's devices, or its table of sections is cut off.
  static Result<CubinFile> open(std::string_view bytes);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// The first section of that name; null if there is none.
  const Elf64_Shdr* find(std::string_view name) const;
  std::string_view content(const Elf64_Shdr& section) const;
  std::string_view name(const Elf64_Shdr& section) const { return text(header_.e_shstrndx, section.sh_name); }
  /// The text at `offset` in section number `section`.
  std::string_view text(std::size_t section, std::size_t offset) const;

 private:
  explicit CubinFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

/// Reads a value at the begin of `bytes`; false, and nothing read, where they are too few.
template <class T>
bool read_from(std::string_view bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  return true;
}

/// Calls `body` with each symbol and its name.
template <class Body>
void for_each_symbol(const CubinFile& file, const Body& body) {
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    std::string_view symbols = file.content(section);
    for (Elf64_Sym symbol; read_from(symbols, symbol); symbols.remove_prefix(sizeof symbol)) {
      body(symbol, file.text(section.sh_link, symbol.st_name));
    }
  }
}

/// `ptx` without comments, which may hold anything.
std::string without_comments(std::string_view ptx);

/// The names of the kernels (`.entry`) in PTX, sorted.
std::vector<std::string> ptx_kernels(std::string_view ptx);

/// The parameters (`.param`) of the kernel with this symbol, a pointer where PTX has it (`.ptr`). Nothing where it has no such
/// kernel, or one is declared in a way that is not known here.
///
/// Source: PTX ISA, "Kernel Function Parameters".
std::optional<std::vector<KernelArgument>> ptx_parameters(std::string_view ptx, std::string_view symbol);

/// The architecture of its `.target` line.
///
/// Errors: invalid_argument if it has none.
Result<Arch> ptx_arch(std::string_view ptx);

/// The symbols of the kernels of `plan` in the one source of a variant of dialect cubin or ptx; of a compressed fatbin (fatbin.h)
/// their names.
///
/// Errors: invalid_argument if the source is not what the dialect says, or does not run on `target`, and as
///         `checked_symbols`.
Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan);

}  // namespace kmux::nvidia
