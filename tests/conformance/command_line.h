#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/error.h"

namespace kmux::conformance {

/// What a run of the suite is asked for.
struct CommandLine {
  std::string plugin;
  std::string folder;  // that has the plugin; empty: where kmux finds its plugins
  std::string isolation = "none";
  int device = 0;  // ordinal
  std::vector<std::string> tags;  // groups; empty: all
  std::string junit;  // a file for the results in JUnit's form; empty: none
  bool json = false;
  bool needs_device = false;
  bool rehearses = false;
  bool is_cached = false;
  bool inside = false;  // the child process that runs one expected failure
};

/// Reads the command line, GoogleTest's own flags apart, which are kept for it in `rest`. Nothing for --help, which is printed.
///
/// Errors: invalid_argument.
Result<std::optional<CommandLine>> read_command_line(const std::vector<std::string>& words,
                                                     std::vector<std::string>& rest);

/// The cases of the groups `tags`, as a filter of GoogleTest: "*" without any. `groups` are those that there are.
///
/// Errors: invalid_argument for a group that there is not, which names those that there are.
Result<std::string> filter_of(const std::vector<std::string>& tags, const std::vector<std::string>& groups);

}  // namespace kmux::conformance
