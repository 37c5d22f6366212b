#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::conformance {

/// What a backend says of itself: cases it can never pass, and cases that it
/// does not pass yet. A pattern is a gtest filter ("Geometry.*").
struct Exemptions {
  struct Entry {
    std::string pattern;
    std::string reason;
  };
  std::vector<Entry> unsupported;
  std::vector<Entry> expected_failures;
};

/// Reads `conformance.txt`: one "unsupported PATTERN REASON" or
/// "expected-failure PATTERN REASON" a line; '#' begins a comment. A file that
/// does not exist is an empty list.
///
/// Errors: invalid_argument with file and line; a reason is mandatory.
Result<Exemptions> read_exemptions(const std::filesystem::path& path);

} // namespace kmux::conformance
