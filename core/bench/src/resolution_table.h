#pragma once

#include "kmux/bench/bench_report.h"

#include "html_writer.h"

namespace kmux::bench {

/// Each backend with each variant of the program: does it take it, where was that decided, and why. Nothing where nothing was
/// resolved.
void write_resolution(HtmlWriter& html, const Contest& contest);

}  // namespace kmux::bench
