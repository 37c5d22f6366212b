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

/// What a class of machines measured: for each case the ratio of each process.
struct Baseline {
  MachineClass machine;
  std::map<std::string, std::vector<Interval>> cases;
  bool operator==(const Baseline&) const = default;

  /// JSON, a line each ratio, so that a change of a baseline can be read.
  std::string to_json() const;

  /// Errors: invalid_argument that names the member that is missing, of another kind, or not possible.
  static Result<Baseline> from_json(std::string_view text);
};

/// The baseline of `machine` in `folder`; nothing if there is none.
///
/// Errors: those of `Baseline::from_json`, with the file's name; invalid_argument if it is another class's; unavailable
/// if it cannot be read.
Result<std::optional<Baseline>> read_baseline(const std::filesystem::path& folder, const MachineClass& machine);

/// Writes it where `read_baseline` finds it: a reader sees the old one or the new one, never half of it.
///
/// Returns: the file.
/// Errors: unavailable that names the file.
Result<std::filesystem::path> write_baseline(const std::filesystem::path& folder, const Baseline& baseline);

}  // namespace kmux::regress
