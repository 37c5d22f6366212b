#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// "gemm", "scale, n = 1024", "scale, n = 1024 (run.json)": what a contest is called on a page.
std::string title_of(const Contest& contest);

/// "n=1024;m=3": its point of the axes, with `separator` between.
std::string point_text(const Contest& contest, const char* separator);

/// The column by which a contest is judged and drawn: the headline, or the first that has a time where nobody has one of it.
Column headline_of(const Contest& contest);

/// Does anybody have that column?
bool has(const Contest& contest, Column column);

/// Was it measured in rounds of kmux? Else another tool did, and there is neither a baseline nor a resolution.
bool is_of_program(const Contest& contest);

/// How many were timed.
std::size_t timed_in(const Contest& contest);

}  // namespace kmux::bench
