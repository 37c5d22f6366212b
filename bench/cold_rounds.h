#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "kmux/compile.h"

// What compilations are measured with, for those that include this header.
#include "bars/bar.h"
#include "cold_kernel.h"
#include "scratch.h"
#include "timing.h"

namespace kmux::bench {

/// A runtime of its own that knows one cache.
Shared<Runtime> runtime_with_cache(const std::filesystem::path& folder);

/// Dialect c in a tier of backend cpu.
CompileOptions in_tier(const char* tier, bool use_cache = false);

Kernel compiled(Runtime& runtime, const Program& program, const CompileOptions& options);

/// The launcher that a runtime makes for `program`.
std::string launcher_of(Runtime& runtime, const Program& program);

/// The median of ours over theirs, one after the other in each round; both get the number of the round.
///
/// Units: both give milliseconds.
double ratio_of_rounds(const std::function<double(int)>& ours, const std::function<double(int)>& theirs);

/// What this program prints as a child (`CHILD`). Throws if it fails.
std::string child_output(const std::string& name, const std::vector<std::string>& words);

}  // namespace kmux::bench
