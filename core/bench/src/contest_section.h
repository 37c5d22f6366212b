#pragma once

#include <string>

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"
#include "text_pool.h"

namespace kmux::bench {

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

}  // namespace kmux::bench
