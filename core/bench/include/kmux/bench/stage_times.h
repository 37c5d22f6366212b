#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/bench/call_arguments.h"
#include "kmux/compile.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// How long a program takes until it can be called, on one backend. Units: microseconds, one sample a repetition.
struct StageTimes {
  std::vector<double> resolve;
  std::vector<double> wrap;
  std::vector<double> build;
  std::vector<double> load;
  std::vector<double> first_call;
  /// Units: bytes.
  std::size_t artifact_size = 0;
  /// Why it cannot be built here, where a cache has it; resolve, wrap and build are then not timed.
  std::string not_built;
};

/// Compiles `program` `repetitions` times without the cache, and as often from the cache in `folder`, which is of the caller and
/// new, each time with a runtime that has not seen it; then calls it with `arguments`. The times of the cold ones are those of
/// the trace of the runtime itself. What cannot be built here is loaded from the cache of `runtime`.
///
/// Threads: no other trace may be recorded meanwhile.
/// Errors:  those of `compile`, of what no cache has.
Result<StageTimes> time_stages(const Runtime& runtime, const Program& program, CompileOptions options,
                               const CallArguments& arguments, const std::filesystem::path& folder, int repetitions);

}  // namespace kmux::bench
