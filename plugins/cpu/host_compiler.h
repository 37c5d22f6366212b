#pragma once

#include <span>
#include <string>

#include "kmux/error.h"

#include "engine/compiler.h"
#include "options.h"

namespace kmux::cpu {

/// The absolute path of the compiler of engine `host`, links resolved.
///
/// Errors: unavailable if there is none, with what to install.
Result<std::string> find_host_compiler(const BuildOptions& options);

enum class HostForm {
  kLibrary,  // shared
  kObject,   // relocatable
};

/// Compiles `job` (and ready `objects`) with the machine's C++ compiler, in a private folder that is removed.
///
/// Errors: compile_failed with the compiler's text as note "log" and its command as note "command"; unavailable
///         without a compiler.
Result<CompiledObject> compile_on_host(const CompileJob& job, const BuildOptions& options,
                                       std::span<const File> objects, HostForm form = HostForm::kLibrary);

}  // namespace kmux::cpu
