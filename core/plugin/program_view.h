#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// A program in the form of the plugin ABI: canonical JSON and the contents of its files.
///
/// Lifetime: borrows the file contents of `program`; the result of `get` is valid as long as this object.
class ProgramView {
 public:
  /// Writes the JSON of `program`.
  explicit ProgramView(const Program& program);
  explicit ProgramView(Program&&) = delete;
  ProgramView(const ProgramView&) = delete;
  ProgramView& operator=(const ProgramView&) = delete;

  /// Returns the view in the ABI's form.
  const kmux_program_view* get() const { return &view_; }

 private:
  std::string json_;
  std::vector<kmux_bytes> blobs_;
  kmux_program_view view_{};
};

/// Returns the program in `view`.
///
/// Errors: as for `from_json`; invalid_argument if files and blobs differ in number, or the view is too small.
Result<Program> read_program(const kmux_program_view& view);

}  // namespace kmux
