#pragma once

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/json.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// With what each backend compiled, by the name of the entrant, as its plugin identifies it: versions, or the files themselves.
/// One that compiles nothing here has none.
Json toolchains_of(Runtime& runtime, const BenchReport& report, const BenchOptions& options);

/// What of a plugin's identity of a toolchain tells people something: versions, options and names of files, but neither folders
/// of this machine nor sizes and times of files.
Json versions_in(const Json& identity);

}  // namespace kmux::bench
