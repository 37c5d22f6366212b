// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "simt/frontend/corrected_texts.h"

namespace kmux::simt {

/// The functions of headers that are for the host and do not compile here: they use the host's
/// interfaces, as those do that make the parameters of CUTLASS's kernels. Their bodies are left out.
class HostFunctions {
 public:
  /// Corrects `texts`, which must outlive this object.
  explicit HostFunctions(CorrectedTexts& texts) : texts_(texts) {}

  /// Leaves out the bodies that have the errors of `log`, a compilation of `source`. Reads texts from `files`. Returns
  /// false if an error lies elsewhere, as in `source` or in a function for the device, or after too many attempts.
  bool leave_out(std::string_view log, std::string_view source, llvm::vfs::FileSystem& files);

  /// Returns a warning for each body.
  const std::string& warnings() const { return warnings_; }

 private:
  bool leave_out(std::string_view path, std::size_t line, std::size_t column, llvm::vfs::FileSystem& files);

  CorrectedTexts& texts_;
  std::string warnings_;
  int attempts_ = 0;
};

/// The body of a function with its initialisers, as indices of a text; `begin` is `end` if there is none.
struct FunctionBody {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_for_device = false;  // a word of its declaration contains "device", "kernel" or "global"
};

/// Returns the outermost body of a function around index `at` of the C++ text `text`.
FunctionBody body_around(std::string_view text, std::size_t at);

}  // namespace kmux::simt
