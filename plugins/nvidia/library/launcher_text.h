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

/// The file that a launcher takes its code from when it is assembled, relative to where that is done.
inline constexpr const char* kCodeFile = "kmux-code.cubin";

/// The file that has the symbol of kernel number `kernel` in the code: which it is shows only there.
std::string symbol_file(std::size_t kernel);

/// The file that has the kernels which the plan does not name, where there are any.
inline constexpr const char* kMoreKernelsFile = "kmux-more-kernels.s";

/// Its content: `symbols` as entries of the table of kernels. They have the shared memory that each launch asks for.
///
/// Errors: invalid_argument for a symbol that no assembler takes.
Result<std::string> more_kernels(const std::vector<std::string>& symbols, bool large_clusters);

/// The launcher of `plan`: C++17 that needs the C library and nothing of CUDA, of kmux or of a toolkit.
///
/// First comes the program's own part: its body over `kmux_driver`, and `call` with the program's parameters. Then the
/// launch layer and the entry points, the same in every launcher; at the end code and facts of the program. Exported are
/// `init`, `call` and `get_last_error` for any caller, and `kmux_launcher_...` for kmux's runtime (adapter.h).
std::string launcher_text(const Plan& plan, const LaunchChoices& choices);

/// What is different in the launcher of a backend whose kernels have parameters of their own kind.
struct LauncherForm {
  LauncherDialect& dialect;
  const ArgumentSizes& sizes;  // of what `dialect` passes
  std::string_view printed = {};  // C++ that is printed after the entry points
  bool has_more_kernels = false;  // the code has kernels that the plan does not name: `more_kernels` has them
};
std::string launcher_text(const Plan& plan, const LaunchChoices& choices, const LauncherForm& form);

/// The parts of a library that runs `code` without kmux (kmux::Backend::standalone): `launcher`, a printed launcher of
/// `plan`, with the entry points of an exported library, and what it takes in when it is assembled. `symbols` are those of
/// the plan's kernels in the code, a cubin or PTX.
Artifact standalone_parts(const Plan& plan, std::string_view launcher, std::string_view code,
                          const std::vector<std::string>& symbols);

/// The same of an artifact that `backend` built, with the parts of parts.h: its meta.json has the symbols.
///
/// Errors: invalid_argument that names what it lacks.
Result<Artifact> standalone_parts(const Plan& plan, const Artifact& built, std::string_view backend);

}  // namespace kmux::nvidia
