// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kmux/compile.h"
#include "kmux/json.h"

namespace kmux::cli {

/// What a recorded kernel was compiled with, as far as a recording may choose it: neither a program nor a folder of this machine.
struct RecordedOptions {
  Options options;
  std::vector<std::string> compile_flags;
  std::vector<std::string> ignored;  // in the words of a message: `option "host_compiler"`

  /// Adds them to those of the command line, which come last and so win.
  void add_to(CompileOptions& asked) const;
};

/// Reads the options of `how`, a kernel.json.
///
/// Ignored are option `host_compiler`, include folders, flags that name a file or a folder, and every other option whose value has
/// a '/': no other value of kmux's own backends has one.
RecordedOptions recorded_options(const Json& how);

}  // namespace kmux::cli
