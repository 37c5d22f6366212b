#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "kmux/error.h"

#include "llvm/Support/Error.h"

namespace kmux::simt {

/// The reasons why objects could not be linked.
struct LinkReport {
  std::vector<std::string> missing;
  std::string text;
  std::error_code system;  // error of the system call that failed

  bool empty() const { return missing.empty() && text.empty(); }
  void add(llvm::Error error);

  /// Returns unavailable for missing symbols and for memory that may not become executable. Returns out_of_memory if
  /// the system has no memory or no mappings left, else invalid_argument.
  Error explain() const;
};

}  // namespace kmux::simt
