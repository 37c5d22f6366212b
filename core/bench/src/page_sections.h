#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"
#include "text_pool.h"

// The sections of a page in their order; each in the source of its name.
namespace kmux::bench {

// overview.cpp

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

// contest_section.cpp

/// All of one contest: verdicts and times, bars, resolution, launchers and sources. The absent are named where that is not
/// what `last_absent` has, which then is updated.
void write_contest(HtmlWriter& html, const Contest& contest, std::size_t number, const Palette& palette,
                   TextPool& texts, std::string& last_absent);

/// "gemm", "scale, n = 1024", "scale, n = 1024 (run.json)": what a contest is called on a page.
std::string title_of(const Contest& contest);

/// "n=1024;m=3": its point of the axes, with `separator` between.
std::string point_text(const Contest& contest, const char* separator);

/// The column by which a contest is judged and drawn: the headline, or the first that has a time where none has one of it.
Column headline_of(const Contest& contest);

/// Does any contestant have that column?
bool has(const Contest& contest, Column column);

/// Was it measured in rounds of kmux? Else another tool did, and there is neither a baseline nor a resolution.
bool is_of_program(const Contest& contest);

/// How many were timed.
std::size_t timed_in(const Contest& contest);

/// Each backend with each variant of the program: does it take it, where was that decided, and why. Nothing where nothing was
/// resolved.
void write_resolution(HtmlWriter& html, const Contest& contest);

// benchmark_table.cpp

/// What another tool measured: a line for each of its benchmarks and each file with it. Nothing where there is none.
void write_benchmarks(HtmlWriter& html, const BenchReport& report, const Palette& palette);

/// The name of a benchmark of Google Benchmark, in parts: "copy/n:64/8/real_time" is of family "copy", at n = 64, arg1 = 8.
struct BenchmarkName {
  std::string family;
  std::map<std::string, std::int64_t> point;
};

/// What says how it was measured, not what ("min_time:0.5", "repeats:3", "real_time", ...), is left out; "threads:4" stays.
BenchmarkName read_benchmark_name(std::string_view name);

}  // namespace kmux::bench
