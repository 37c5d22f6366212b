#pragma once

#include <string>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/json.h"
#include "kmux/runtime.h"

namespace kmux::bench {

class HtmlWriter;

/// What a benchmark ran on: processor, cores, memory, system, kmux, and every device with its properties.
Json describe_machine(Runtime& runtime);

/// With what each backend compiled, by the name of the entrant, as its plugin identifies it: versions, or the files themselves.
/// One that compiles nothing here has none.
Json toolchains_of(Runtime& runtime, const BenchReport& report, const BenchOptions& options);

/// What of a plugin's identity of a toolchain is of interest to people: versions, options and names of files, but neither folders
/// of this machine nor sizes and times of files.
Json versions_in(const Json& identity);

/// What a report was measured on, in a line: "NVIDIA H200 - Intel Xeon, 16 cores - kmux 0.9".
std::string machine_line(const Json& machine);

/// Every fact of the machine, in details that open.
void write_machine(HtmlWriter& html, const Json& machine);

}  // namespace kmux::bench
