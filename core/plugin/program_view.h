#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/plugin/plugin.h"

namespace kmux {

/// A program in the form in which it crosses the plugin ABI: canonical JSON and the contents of its files.
///
/// Lifetime: borrows the file contents of `program`; what `get` returns borrows this object.
class ProgramView {
 public:
  /// Writes the JSON of `program`.
  explicit ProgramView(const Program& program);
  explicit ProgramView(Program&&) = delete;
  ProgramView(const ProgramView&) = delete;
  ProgramView& operator=(const ProgramView&) = delete;

  /// The view as the ABI has it.
  const kmux_program_view* get() const { return &view_; }

 private:
  std::string json_;
  std::vector<kmux_bytes> blobs_;
  kmux_program_view view_{};
};

/// The program that `view` shows.
///
/// Errors: as `from_json`; invalid_argument if files and blobs differ in number, or the view is too small.
Result<Program> read_program(const kmux_program_view& view);

}  // namespace kmux
