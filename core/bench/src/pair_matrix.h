#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"

namespace kmux::bench {

/// Everybody who was timed against everybody, for each column that was judged: the row against the column. The headline's
/// stands open. Nothing for less than three, of whom the verdicts against the baseline say all.
void write_pairs(HtmlWriter& html, const Contest& contest);

/// The matrix of the headline for a terminal; empty for less than three.
std::string pairs_text(const Contest& contest);

}  // namespace kmux::bench
