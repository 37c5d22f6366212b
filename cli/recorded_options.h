// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/json.h"

namespace kmux::cli {

/// The options of a recorded kernel that a recording may choose: no programs and no folders of this machine.
struct RecordedOptions {
  Options options;
  std::vector<std::string> compile_flags;
  std::vector<std::string> ignored;  // for messages: `option "host_compiler"`

  /// Merges them into those of the command line, which take precedence.
  void add_to(CompileOptions& asked) const;
};

/// Returns the options of `how`, a kernel.json.
///
/// Ignores option `host_compiler`, include folders, flags that name a file or folder, and all other options whose
/// values contain a '/': no other valid value of kmux's own backends does.
RecordedOptions recorded_options(const Json& how);

}  // namespace kmux::cli
