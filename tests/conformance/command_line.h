#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::conformance {

/// The options of a run of the suite.
struct CommandLine {
  std::string plugin;
  std::string folder;  // holds the plugin; empty: kmux's plugin path
  std::string isolation = "none";
  int device = 0;  // ordinal
  std::vector<std::string> tags;  // groups; empty: all
  std::string junit;  // path of the results in JUnit format; empty: none
  bool json = false;
  bool needs_device = false;
  bool rehearses = false;
  bool is_cached = false;
  bool inside = false;  // true in the child process that runs one expected failure
};

/// Parses the command line and puts GoogleTest's flags into `rest`. Returns nothing for --help, after printing the
/// help.
///
/// Errors: invalid_argument.
Result<std::optional<CommandLine>> read_command_line(const std::vector<std::string>& words,
                                                     std::vector<std::string>& rest);

/// Returns a GoogleTest filter for the cases of the groups `tags`, "*" if empty. `groups` lists the existing groups.
///
/// Errors: invalid_argument for a group that does not exist; the message lists the existing groups.
Result<std::string> filter_of(const std::vector<std::string>& tags, const std::vector<std::string>& groups);

}  // namespace kmux::conformance
