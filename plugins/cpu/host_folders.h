#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kmux/error.h"

#include "engine/compiler.h"
#include "options.h"

namespace kmux::cpu {

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
