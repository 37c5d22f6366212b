#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"

namespace kmux::bench {

/// The top of a page: how each backend fared in all contests, and a line for each contest.
void write_overview(HtmlWriter& html, const BenchReport& report, const Palette& palette);

/// Where the section of contest `number` begins: "c3".
std::string section_id(std::size_t number);

/// A spot in the colour of a backend, before its name.
void write_spot(HtmlWriter& html, const Palette& palette, const std::string& backend);

/// A name that may be broken after each "_".
void write_breakable(HtmlWriter& html, std::string_view name);

/// The median with its interval beneath.
void write_number(HtmlWriter& html, Column column, const Interval& interval);

/// Each timed contestant against each other one, for each column that was judged: the row against the column. The headline's
/// stands open. Nothing for less than three, of whom the verdicts against the baseline say all.
void write_pairs(HtmlWriter& html, const Contest& contest);

/// The matrix of the headline for a terminal; empty for less than three.
std::string pairs_text(const Contest& contest);

}  // namespace kmux::bench
