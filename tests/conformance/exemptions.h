#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kmux/error.h"

#include "translated_kernels.h"

namespace kmux::conformance {

/// The statements of a backend's conformance.txt: unsupported cases, expected failures, and how kernels are written in
/// its dialects. A pattern is a gtest filter, for example "Geometry.*".
struct Exemptions {
  struct Entry {
    std::string pattern;
    std::string reason;
  };
  std::vector<Entry> unsupported;
  std::vector<Entry> expected_failures;
  std::vector<DialectForm> dialects;
};

/// Reads `conformance.txt`: one "unsupported PATTERN REASON" or "expected-failure PATTERN REASON" a line; '#' begins a
/// comment. Returns an empty list if the file does not exist. "dialect NAME FILE" begins a dialect whose kernels the
/// suite does not have. The lines "first-line", "kernel", "pointer", "value", "shared", "block", "thread", "positions"
/// and "replace FROM -> TO" below it fill a `DialectForm`.
///
/// Errors: invalid_argument with file and line; a reason must be given.
Result<Exemptions> read_exemptions(const std::filesystem::path& path);

}  // namespace kmux::conformance
