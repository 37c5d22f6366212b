#pragma once

#include <string>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/json.h"
#include "kmux/runtime.h"

namespace kmux::bench {

class HtmlWriter;

/// Describes the machine of a benchmark: processor, cores, memory, system, kmux, and every device with its properties.
Json describe_machine(Runtime& runtime);

/// Returns the toolchain of each backend by the entrant's name, as its plugin identifies it: versions, or the files
/// themselves. Backends that compile nothing here have none.
Json toolchains_of(Runtime& runtime, const BenchReport& report, const BenchOptions& options);

/// Returns the readable part of a plugin's toolchain identity: versions, options and file names, without folders of
/// this machine and without sizes and times of files.
Json versions_in(const Json& identity);

/// Returns a line that describes the machine of a report: "NVIDIA H200 - Intel Xeon, 16 cores - kmux 0.9".
std::string machine_line(const Json& machine);

/// Writes every fact of the machine, as a collapsed section.
void write_machine(HtmlWriter& html, const Json& machine);

}  // namespace kmux::bench
