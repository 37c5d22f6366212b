#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kmux/compile.h"

// The tools that measure compilations, for files that include this header.
#include "bars/bar.h"
#include "cold_kernel.h"
#include "scratch.h"
#include "timing.h"

namespace kmux::bench {

/// Returns a separate runtime that uses only the cache in `folder`.
Shared<Runtime> runtime_with_cache(const std::filesystem::path& folder);

/// Returns the options for dialect c in a tier of backend cpu.
CompileOptions in_tier(const char* tier, bool use_cache = false);

Kernel compiled(Runtime& runtime, const Program& program, const CompileOptions& options);

/// Returns the launcher that a runtime generates for `program`.
std::string launcher_of(Runtime& runtime, const Program& program);

/// Returns the median of ours over theirs, measured alternately in each round; both get the number of the round.
///
/// Units: both return milliseconds.
double ratio_of_rounds(const std::function<double(int)>& ours, const std::function<double(int)>& theirs);

/// Returns the output of this program as a child (`CHILD`). Throws if it fails.
std::string child_output(const std::string& name, const std::vector<std::string>& words);

}  // namespace kmux::bench
