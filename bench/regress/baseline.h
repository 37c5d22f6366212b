#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmux/error.h"
#include "kmux/interval.h"

#include "regress/machine_class.h"

namespace kmux::regress {

/// The measurements of a class of machines: for each case the ratio of each process.
struct Baseline {
  MachineClass machine;
  std::map<std::string, std::vector<Interval>> cases;
  bool operator==(const Baseline&) const = default;

  /// Returns JSON with a line for each ratio, so that a change of a baseline is readable.
  std::string to_json() const;

  /// Errors: invalid_argument that names the member that is missing, of another type, or out of range.
  static Result<Baseline> from_json(std::string_view text);
};

/// Returns the baseline of `machine` in `folder`; nothing if it does not exist.
///
/// Errors: those of `Baseline::from_json`, with the file's name; invalid_argument if it is another class's; unavailable
/// if it cannot be read.
Result<std::optional<Baseline>> read_baseline(const std::filesystem::path& folder, const MachineClass& machine);

/// Writes the baseline to the file that `read_baseline` reads, atomically: a reader sees the old or the new one.
///
/// Returns: the file.
/// Errors: unavailable that names the file.
Result<std::filesystem::path> write_baseline(const std::filesystem::path& folder, const Baseline& baseline);

}  // namespace kmux::regress
