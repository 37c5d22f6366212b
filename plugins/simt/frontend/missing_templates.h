// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "simt/frontend/corrected_texts.h"

namespace kmux::simt {

/// The places of a source and its headers that lack the word `template` before a member's name, as in
/// `object.template get<n>()`. nvcc accepts such a text, C++ does not.
class MissingTemplates {
 public:
  /// Corrects `texts`, which must outlive this object.
  explicit MissingTemplates(CorrectedTexts& texts) : texts_(texts) {}

  /// Adds the word at the places that the errors of `log` name. Reads texts from `files`. Returns false if there is no
  /// such place, or after too many attempts.
  bool add(std::string_view log, llvm::vfs::FileSystem& files);

  /// Returns a warning for each place.
  const std::string& warnings() const { return warnings_; }

 private:
  bool add(std::string_view path, std::size_t line, std::size_t column, llvm::vfs::FileSystem& files);

  CorrectedTexts& texts_;
  std::string warnings_;
  int attempts_ = 0;
};

/// Returns true if an error of `log` is that a name with the word `template` is not one of a template.
bool refuses_template(std::string_view log);

}  // namespace kmux::simt
