#pragma once

#include <string>
#include <vector>

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

/// The remarks on the columns of a contest, each once: "cpu, hip: no cache can be flushed".
std::vector<std::string> remarks_of(const Contest& contest);

/// What has drifted more than is worth telling of, the host's clock or a device's, and what that means; empty if nothing has.
std::string drift_text(const Contest& contest);

/// A verdict as tables show it.
struct VerdictCell {
  std::string word;  // "faster", "wrong", "baseline", ...; the class of a cell, too
  std::string text;  // "2.00x faster", or the word
  std::string detail = {};  // the interval of the ratio, or the problem
};

VerdictCell verdict_cell(const Judgement& judgement);
/// Of `entrant` in `column` against the contest's baseline; empty where there is nothing to say.
VerdictCell verdict_cell(const Contest& contest, const Entrant& entrant, Column column);

}  // namespace kmux::bench
