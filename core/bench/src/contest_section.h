#pragma once

#include "kmux/bench/bench_report.h"

#include "html_writer.h"
#include "pictures.h"
#include "text_shelf.h"

namespace kmux::bench {

/// All of one contest: verdicts and times, bars, resolution, launchers and sources. Who is absent is said where it is not
/// what `last_absent` says, which it then is.
void write_contest(HtmlWriter& html, const Contest& contest, std::size_t number, const Palette& palette,
                   TextShelf& texts, std::string& last_absent);

}  // namespace kmux::bench
