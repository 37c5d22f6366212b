// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kmux/compile_options.h"
#include "kmux/environment.h"
#include "kmux/error.h"
#include "kmux/policy.h"

#include "isolation/isolated_plugins.h"

namespace kmux {

/// The settings of a compilation: the caller's options, completed from the environment.
struct CompileSettings {
  CompileOptions options;  // with target, backend and lock file; with the device, for Purpose::kRun
  Purpose purpose = Purpose::kRun;
  Policy policy = Policy::kPriority;
  IsolationSettings isolation = {};
  std::string target_variable = {};  // of the environment, that gave the target; empty: the caller gave it
  std::string backend_variable = {};  // likewise for the backend
  bool gathers_times = false;  // fills in the known times, whatever the policy
};

/// Completes `options` from `environment`.
///
/// Errors: invalid_argument for an invalid policy, isolation or time limit, of the caller or of the environment, and for
///         an option, flag or folder that is not UTF-8.
Result<CompileSettings> settle(const CompileOptions& options, Purpose purpose, const Environment& environment);

/// Returns the options as a backend receives them: `options`, plus "compile_flags", "include_dirs" (one line per
/// element) and "target_host" if given.
///
/// Errors: invalid_argument for an element with a line break, and for a name given both ways.
Result<Options> compiler_options(const CompileOptions& options);

}  // namespace kmux
