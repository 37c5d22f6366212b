#pragma once

#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// What is said of the columns of a contest, each once: "cpu, hip: no cache can be flushed".
std::vector<std::string> remarks_of(const Contest& contest);

}  // namespace kmux::bench
