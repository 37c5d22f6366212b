#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/error.h"
#include "kmux/plugin/emit.h"
#include "kmux/plugin/plan.h"

#include "nvidia/facts.h"

namespace kmux::nvidia {

/// The file with a launcher's device code, which the assembler includes; relative to the assembler's folder.
inline constexpr const char* kCodeFile = "kmux-code.cubin";

/// Returns the file with the symbol of kernel number `kernel`: the symbol is known only after the code is compiled.
std::string symbol_file(std::size_t kernel);

/// The file with the kernels that the plan does not name, if any.
inline constexpr const char* kMoreKernelsFile = "kmux-more-kernels.s";

/// Returns the content of `kMoreKernelsFile`: `symbols` as entries of the kernel table. Each launch sets these kernels'
/// shared memory itself.
///
/// Errors: invalid_argument for a symbol with characters that are invalid in assembly.
Result<std::string> more_kernels(const std::vector<std::string>& symbols, bool large_clusters);

/// Returns the launcher of `plan`: C++17 that requires only the C library, not CUDA, kmux or a toolkit.
///
/// The program's part comes first: its body over `kmux_driver`, and `call` with the program's parameters. The launch
/// layer and the entry points follow, the same in every launcher, then code and facts of the program. The library
/// exports `init`, `call` and `get_last_error` for any caller, and `kmux_launcher_...` for kmux's runtime (adapter.h).
std::string launcher_text(const Plan& plan, const LaunchChoices& choices);

/// The differences in the launcher of a backend with its own kind of kernel parameters.
struct LauncherForm {
  LauncherDialect& dialect;
  const ArgumentSizes& sizes;  // of the arguments that `dialect` passes
  std::string_view printed = {};  // C++ that is printed after the entry points
  bool has_more_kernels = false;  // the code has kernels that the plan does not name: `more_kernels` lists them
};
std::string launcher_text(const Plan& plan, const LaunchChoices& choices, const LauncherForm& form);

/// Returns the parts of a library that runs `code` without kmux (kmux::Backend::standalone). They are `launcher`, the
/// printed launcher of `plan`, with the entry points of an exported library, and the files that its assembly includes.
/// `symbols` are the symbols of the plan's kernels in `code`, a cubin or PTX.
Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols);

/// Returns these parts for an artifact that `backend` built, with the parts of adapter.h; the symbols are in its
/// meta.json.
///
/// Errors: invalid_argument that names the missing part.
Result<Artifact> standalone_parts(const Plan& plan, const Artifact& built, std::string_view backend);

}  // namespace kmux::nvidia
