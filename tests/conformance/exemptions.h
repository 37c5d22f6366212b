#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "translated_kernels.h"

namespace kmux::conformance {

/// What a backend says of itself: cases it can never pass, cases that it does not pass yet, and how kernels are written in its
/// dialects. A pattern is a gtest filter ("Geometry.*").
struct Exemptions {
  struct Entry {
    std::string pattern;
    std::string reason;
  };
  std::vector<Entry> unsupported;
  std::vector<Entry> expected_failures;
  std::vector<DialectForm> dialects;
};

/// Reads `conformance.txt`: one "unsupported PATTERN REASON" or
/// "expected-failure PATTERN REASON" a line; '#' begins a comment. A file that
/// does not exist is an empty list. "dialect NAME FILE" begins a dialect whose kernels the suite does not have; the lines
/// "first-line", "kernel", "pointer", "value", "shared", "block", "thread", "positions" and "replace FROM -> TO" below it fill a
/// `DialectForm`.
///
/// Errors: invalid_argument with file and line; a reason is mandatory.
Result<Exemptions> read_exemptions(const std::filesystem::path& path);

}  // namespace kmux::conformance
