#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"
#include "text_pool.h"

// The sections of a page in order, each in the source of its name.
namespace kmux::bench {

// overview.cpp

/// Writes the top of a page: the results of each backend over all contests, and a line for each contest.
void write_overview(HtmlWriter& html, const BenchReport& report, const Palette& palette);

/// Returns the anchor of the section of contest `number`: "c3".
std::string section_id(std::size_t number);

/// Writes a spot in the colour of a backend, before its name.
void write_spot(HtmlWriter& html, const Palette& palette, const std::string& backend);

/// Writes a name that may wrap after each "_".
void write_breakable(HtmlWriter& html, std::string_view name);

/// Returns a figure or a spread for a page, with the characters that a terminal may not have: "5.7 us +-2 %".
std::string on_page(std::string text);

/// Writes the median with its interval beneath.
void write_number(HtmlWriter& html, Column column, const Interval& interval);

/// Writes a matrix of the timed contestants for each judged column: the row against the column. The headline's is
/// expanded. Writes nothing for less than three, for which the verdicts against the baseline are complete.
void write_pairs(HtmlWriter& html, const Contest& contest);

/// Returns the matrix of the headline for a terminal; empty for less than three.
std::string pairs_text(const Contest& contest);

// contest_section.cpp

/// Writes one contest: verdicts and times, bars, resolution, launchers and sources. Absent backends are named unless
/// `last_absent` has the same text, which is then updated.
void write_contest(HtmlWriter& html, const Contest& contest, std::size_t number, const Palette& palette,
                   TextPool& texts, std::string& last_absent);

/// Returns the title of a contest on a page: "gemm", "scale, n = 1024", "scale, n = 1024 (a.kmux, run.json)".
std::string title_of(const Contest& contest);

/// Returns its point of the axes, "n=1024;m=3", separated by `separator`.
std::string point_text(const Contest& contest, const char* separator);

/// Returns the column by which a contest is judged and drawn: the headline, or else the first column of times that it
/// has.
Column headline_of(const Contest& contest);

/// Returns true if any contestant has that column.
bool has(const Contest& contest, Column column);

/// Returns true if kmux measured it in rounds. Contests of other tools have neither a baseline nor a resolution.
bool is_of_program(const Contest& contest);

/// Returns the number of timed entrants.
std::size_t timed_in(const Contest& contest);

/// Writes the resolution of each backend and variant of the program: the verdict, its stage and its reason. Writes
/// nothing without a resolution.
void write_resolution(HtmlWriter& html, const Contest& contest);

// benchmark_table.cpp

/// Writes the results of other tools: a line for each benchmark and file. Writes nothing if there are none.
void write_benchmarks(HtmlWriter& html, const BenchReport& report, const Palette& palette);

/// The parts of a Google Benchmark name: "copy/n:64/8/real_time" is of family "copy", at n = 64, arg1 = 8.
struct BenchmarkName {
  std::string family;
  std::map<std::string, std::int64_t> point;
};

/// Parses a name. Parts about the method of measurement ("min_time:0.5", "repeats:3", "real_time", ...) are dropped;
/// "threads:4" stays.
BenchmarkName read_benchmark_name(std::string_view name);

}  // namespace kmux::bench
