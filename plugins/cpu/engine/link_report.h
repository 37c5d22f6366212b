#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "kmux/error.h"

#include "llvm/Support/Error.h"

namespace kmux::cpu {

/// Why objects could not be linked.
struct LinkReport {
  std::vector<std::string> missing;
  std::string text;
  std::error_code system;  // what the system refused

  bool empty() const { return missing.empty() && text.empty(); }
  void add(llvm::Error error);

  /// Returns unavailable for symbols that are missing and for memory that may not become executable, out_of_memory where the system has
  /// no memory or no mappings left, else invalid_argument.
  Error explain() const;
};

}  // namespace kmux::cpu
