#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

namespace kmux::hip {

/// What the metadata of a code object say of one kernel.
///
/// Units: bytes.
struct CodeKernel {
  struct Argument {
    unsigned offset = 0;
    unsigned size = 0;
    bool is_buffer = false;  // an address of memory of the device
    bool operator==(const Argument&) const = default;
  };
  std::string name;                   // as hipModuleGetFunction takes it
  std::vector<Argument> arguments;    // those that a launch passes; the hidden ones are the runtime's
  unsigned static_smem_bytes = 0;     // group segment
  unsigned max_threads = 0;           // of a block
  unsigned wavefront_size = 0;
  bool operator==(const CodeKernel&) const = default;
};

/// Code for AMD's devices: an ELF file with a note of kind NT_AMDGPU_METADATA.
struct CodeObject {
  std::string arch;  // "gfx90a"
  std::vector<CodeKernel> kernels;
  std::vector<CodeVariable> variables = {};  // those that hipModuleGetGlobal finds
  std::vector<std::string> name_table = {};  // symbols of one (kmux/plugin/name_table.h)
};

/// Reads the metadata of `code`. Nothing for an ELF file of another machine: what stands in for a device compiles to its
/// own.
///
/// Errors: invalid_argument for bytes that are not an ELF file, are cut off, or whose note is missing or malformed.
/// Source: LLVM, AMDGPUUsage, "Code Object Metadata" (versions 3 to 5).
Result<std::optional<CodeObject>> read_code_object(std::string_view code);

/// Code for an architecture.
struct Unbundled {
  std::string code;  // what HIP loads
  std::vector<std::string> objects;  // the code objects of which it takes one
};

/// The code for `arch` of `bytes`: those of a Clang offload bundle, as hipcc writes it, plain or compressed, or `bytes`
/// themselves if they are not a bundle. Of entries for `arch` that differ in features (gfx90a:xnack+ and gfx90a:xnack-) only
/// the device's full name says which, so all stay in the bundle, and HIP takes one. Where no entry is for `arch`, one for a
/// generic architecture of it is taken.
///
/// Errors: invalid_argument for a bundle that is cut off, is damaged or has no code for `arch`, with what it has; unsupported
///         for one that is compressed in another way than zlib's and zstd's; unavailable, with what to install, where the
///         library that decompresses is not there.
/// Source: Clang, ClangOffloadBundler, "Bundled Binary File Layout", "Compression and Decompression".
Result<Unbundled> unbundled(std::string_view bytes, std::string_view arch);

/// The kernel of `code` that `name` means, by `kmux::find_symbol`.
///
/// Errors: compile_failed with the kernels that there are.
Result<const CodeKernel*> find_kernel(const CodeObject& code, const std::string& name);

/// Does every launch of `plan` pass what its kernel takes: as many arguments, each of its size and kind, and no block of constant
/// extents larger than the code is compiled for? `kernels` are those of the plan, in its order.
///
/// Errors: invalid_argument that names the kernel and shows both.
Status check_launches(const Plan& plan, const std::vector<const CodeKernel*>& kernels);

/// Returns the variables that the code objects `objects` may write, sorted, under the names that C++ has for them: what the part
/// "state" of an artifact lists (kmux/plugin/code_state.h).
///
/// A variable counts if its section is writable: Clang puts what is const, and what only its file can see and nothing writes,
/// elsewhere. `__constant__` ones are writable to a loader: those that files of `variant` declare are left out by their names.
std::vector<std::string> written_variables(const std::vector<std::string>& objects, const Variant& variant);

}  // namespace kmux::hip
