#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

namespace kmux::hip {

/// The metadata of one kernel in a code object.
///
/// Units: bytes.
struct CodeKernel {
  struct Argument {
    unsigned offset = 0;
    unsigned size = 0;
    bool is_buffer = false;  // an address of device memory
    bool operator==(const Argument&) const = default;
  };
  std::string name;                   // for hipModuleGetFunction
  std::vector<Argument> arguments;    // of a launch; hidden ones, which the runtime passes, are left out
  unsigned static_smem_bytes = 0;     // group segment
  unsigned max_threads = 0;           // of a block
  unsigned wavefront_size = 0;
  bool operator==(const CodeKernel&) const = default;
};

/// Code for AMD's devices: an ELF file with a note of kind NT_AMDGPU_METADATA.
struct CodeObject {
  std::string arch;  // "gfx90a"
  std::vector<CodeKernel> kernels;
  std::vector<CodeVariable> variables = {};  // for hipModuleGetGlobal
  std::vector<std::string> name_table = {};  // symbols of the name table (kmux/plugin/name_table.h)
};

/// Parses the metadata of `code`. Returns nothing for an ELF file of another machine: a stand-in for a device compiles
/// to its own machine's code.
///
/// Errors: invalid_argument for bytes that are not an ELF file, are truncated, or have a missing or malformed note.
/// Source: LLVM, AMDGPUUsage, "Code Object Metadata" (versions 3 to 5).
Result<std::optional<CodeObject>> read_code_object(std::string_view code);

/// Code for an architecture.
struct Unbundled {
  std::string code;  // for HIP to load
  std::vector<std::string> objects;  // the code objects; HIP loads one of them
};

/// Returns the code for `arch` in `bytes`, a Clang offload bundle as hipcc writes it, plain or compressed. Returns
/// `bytes` unchanged if they are not a bundle.
///
/// Entries for `arch` may differ in features (gfx90a:xnack+ and gfx90a:xnack-). Only the device's full name selects
/// one, so the bundle is kept and HIP selects. If no entry is for `arch`, entries for its generic architecture are
/// used.
///
/// Errors: invalid_argument for a bundle that is truncated, damaged or lacks code for `arch`, listing its
///         architectures; unsupported for compression other than zlib and zstd; unavailable, with the package to
///         install, if the decompression library is missing.
/// Source: Clang, ClangOffloadBundler, "Bundled Binary File Layout", "Compression and Decompression".
Result<Unbundled> unbundled(std::string_view bytes, std::string_view arch);

/// Returns the kernel of `code` with the name `name`, by `kmux::find_symbol`. The result is valid as long as `code`.
///
/// Errors: compile_failed that lists the kernels of the code.
Result<const CodeKernel*> find_kernel(const CodeObject& code, const std::string& name);

/// Checks each launch of `plan` against its kernel: the number of arguments, their sizes and kinds, and that a constant
/// block does not exceed the compiled limit. `kernels` must be those of the plan, in its order.
///
/// Errors: invalid_argument that names the kernel and shows both sides.
Status check_launches(const Plan& plan, const std::vector<const CodeKernel*>& kernels);

/// Returns the variables that the code objects `objects` may write, sorted, by their C++ names: the part "state" of an
/// artifact (kmux/plugin/code_state.h).
///
/// A variable counts if its section is writable: Clang puts const variables, and file-local ones without writes,
/// elsewhere. `__constant__` variables are in writable sections, for the loader: those that `variant` declares are
/// excluded by name.
std::vector<std::string> written_variables(const std::vector<std::string>& objects, const Variant& variant);

}  // namespace kmux::hip
