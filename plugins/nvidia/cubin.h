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

/// Returns the symbols of the kernels in a cubin, sorted.
///
/// Errors: invalid_argument if `cubin` is not a cubin (a 64-bit ELF file for NVIDIA's devices).
Result<std::vector<std::string>> cubin_kernels(std::string_view cubin);

/// Returns the variables that PTX defines outside of functions, in constant and global memory; without sizes.
///
/// Source: PTX ISA, "State Spaces".
std::vector<CodeVariable> ptx_variables(std::string_view ptx);

/// Returns the architecture of a cubin, with its suffix.
///
/// Errors: as `cubin_kernels`.
Result<Arch> cubin_arch(std::string_view cubin);

/// Returns the symbol of each of `kernels` in code that has the symbols `present`, by `kmux::find_symbol`.
///
/// Errors: compile_failed that names the missing or ambiguous kernel and lists the kernels of the code.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels,
                                              const std::vector<std::string>& present);

/// Returns the symbol of each of `kernels` in a cubin.
///
/// Errors: as `find_kernels` above and `cubin_kernels`.
Result<std::vector<std::string>> find_kernels(const std::vector<std::string>& kernels, std::string_view cubin);

/// Writes the resources of each of `kernels` into `artifact`: registers, local, shared and constant bytes, maximum
/// threads (part "kernels.json", docs/plugin-abi.md). `symbols` are the kernels' symbols in `code`. Writes nothing for
/// PTX and a compressed fatbin, which the driver has yet to compile or unpack.
///
/// Errors: as `CubinFile::open`.
/// Source: the cubins of nvcc 13.0, compared with the output of `ptxas -v`; CUDA C++ Programming Guide, "Technical
///         Specifications per Compute Capability".
Status set_kernel_attributes(Artifact& artifact, const std::vector<std::string>& kernels,
                             const std::vector<std::string>& symbols, std::string_view code, bool is_ptx);

/// The sections of a cubin. Offsets are not trusted: content outside of the file reads as empty.
///
/// Lifetime: borrows the bytes.   Source: ELF-64 Object File Format 1.5.
class CubinFile {
 public:
  /// Reads the section table of `bytes`.
  ///
  /// Errors: invalid_argument if `bytes` is not a 64-bit ELF file for NVIDIA's devices, or its section table is
  ///          truncated.
  static Result<CubinFile> open(std::string_view bytes);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// Returns the first section of that name; null if the file has no such section.
  const Elf64_Shdr* find(std::string_view name) const;
  std::string_view content(const Elf64_Shdr& section) const;
  std::string_view name(const Elf64_Shdr& section) const { return text(header_.e_shstrndx, section.sh_name); }
  /// Returns the null-terminated text at `offset` in section number `section`; empty if out of bounds.
  std::string_view text(std::size_t section, std::size_t offset) const;

 private:
  explicit CubinFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

/// Reads a value at the beginning of `bytes`. Returns false, and leaves `value` unchanged, if `bytes` is too short.
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

/// Returns `ptx` without comments.
std::string without_comments(std::string_view ptx);

/// Returns the names of the kernels (`.entry`) in PTX, sorted.
std::vector<std::string> ptx_kernels(std::string_view ptx);

/// Returns the parameters (`.param`) of the kernel with this symbol; those marked `.ptr` are pointers. Returns nothing
/// if the PTX has no such kernel, or if a parameter's declaration is not understood.
///
/// Source: PTX ISA, "Kernel Function Parameters".
std::optional<std::vector<KernelArgument>> ptx_parameters(std::string_view ptx, std::string_view symbol);

/// Returns the architecture of the `.target` line.
///
/// Errors: invalid_argument if the line or its architecture is missing.
Result<Arch> ptx_arch(std::string_view ptx);

/// Returns the symbols of the kernels of `plan` in the one source of a variant of dialect cubin or ptx. Returns their
/// names for a compressed fatbin (fatbin.h).
///
/// Errors: invalid_argument if the source is not of the dialect's format, or does not run on `target`, and as
///         `checked_symbols`.
Result<std::vector<std::string>> check_ready_code(const Variant& variant, Arch target, const Plan& plan);

}  // namespace kmux::nvidia
