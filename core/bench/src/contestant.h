#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/bench/bench.h"
#include "kmux/bench/bench_report.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/bench/call_timer.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/runtime.h"

namespace kmux::bench {

/// A backend at work: what a contest needs besides what it reports.
struct Contestant {
  std::size_t entrant = 0;  // in the report
  std::optional<Kernel> kernel = {};
  std::unique_ptr<CallArguments> arguments = {};  // the timer refers to it
  std::vector<Tensor> results = {};               // of one call, on the host
  std::optional<CallTimer> timer = {};
};

/// The options that compile for `entrant` and no other.
///
/// Precondition: its backend can be read.
CompileOptions options_for(const Entrant& entrant, const CompileOptions& options);

/// Compiles for every entrant that can and calls once. One that fails is left out, and its entrant says why.
std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    const Inputs& inputs, const Binding& binding, Contest& contest);

/// Leaves out those whose results are not those of the contest's reference, which is among them; their entrants say how they
/// differ.
///
/// Errors: those of comparing.
Status drop_wrong(const Program& program, const BenchOptions& options, Contest& contest,
                  std::vector<Contestant>& contestants);

/// The index of a backend's contestant, or their number.
std::size_t index_of(const Contest& contest, const std::vector<Contestant>& contestants, std::string_view backend);

}  // namespace kmux::bench
