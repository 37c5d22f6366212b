#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// The folders in which the compilers of engine `host` look for headers, in their order.
///
/// Threads: any.
class HostFolders {
 public:
  /// Asks the compiler, which takes a process, once for each compiler and language.
  ///
  /// Errors: unavailable without a compiler, or if it does not tell.
  Result<std::vector<std::string>> find(const BuildOptions& options, Language language);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, Language>, std::vector<std::string>> known_;  // by the compiler's identity
};

/// What `-v` says the folders are, in the text of GCC or Clang.
std::vector<std::string> folders_in(std::string_view text);

}  // namespace kmux::cpu
