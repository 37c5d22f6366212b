#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kmux/error.h"

#include "options.h"
#include "simt/frontend/job.h"

namespace kmux::cpu {

/// Returns the absolute path of the compiler of engine `host`, links resolved.
///
/// Errors: unavailable if no compiler is found, with installation advice.
Result<std::string> find_host_compiler(const BuildOptions& options);

enum class HostForm {
  kLibrary,  // shared
  kObject,   // relocatable
};

/// Compiles `job` with the machine's C++ compiler and links it with the ready `objects`, in a private folder that is
/// removed afterwards.
///
/// Errors: compile_failed with the compiler's text as note "log" and its command as note "command"; unavailable if no
///         compiler is found.
Result<simt::CompiledObject> compile_on_host(const simt::CompileJob& job, const BuildOptions& options,
                                             std::span<const File> objects, HostForm form = HostForm::kLibrary);

/// The header folders of the compilers of engine `host`, in search order.
///
/// Threads: any.
class HostFolders {
 public:
  /// Returns the folders for `language`. Queries the compiler in a child process, once for each compiler and language.
  ///
  /// Errors: unavailable if no compiler is found, or if it does not print its folders.
  Result<std::vector<std::string>> find(const BuildOptions& options, simt::Language language);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, simt::Language>, std::vector<std::string>> known_;  // by the compiler's identity
};

/// Returns the header folders that `text`, the output of GCC or Clang with `-v`, lists.
std::vector<std::string> folders_in(std::string_view text);

}  // namespace kmux::cpu
