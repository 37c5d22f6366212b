#pragma once

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

#include "shared_arguments.h"

namespace kmux::bench {

/// A backend at work: what a contest needs besides what it reports.
struct Contestant {
  std::size_t entrant = 0;  // in the report
  std::optional<Kernel> kernel = {};
  CallArguments* arguments = nullptr;  // shared by all on its device
  std::vector<Tensor> results = {};    // of one call, on the host
  std::optional<CallTimer> timer = {};
};

/// The options that compile for `entrant` and no other.
///
/// Precondition: its backend can be read.
CompileOptions options_for(const Entrant& entrant, const CompileOptions& options);

/// Compiles for every entrant that can and calls once, each with the first contents of its device's arguments, so that none
/// lives on the results of another. One that fails is left out, and its entrant says why.
std::vector<Contestant> prepare_all(Runtime& runtime, const Program& program, const BenchOptions& options,
                                    SharedArguments& memory, Contest& contest);

/// Leaves out those whose results are not those of the contest's reference, which is among them; their entrants say how they
/// differ.
///
/// Errors: those of comparing.
Status drop_wrong(const Program& program, const BenchOptions& options, Contest& contest,
                  std::vector<Contestant>& contestants);

/// Does a second call in the same memory leave what the first one left? Not if it is in place, or adds to what is there.
///
/// Errors: those of the call and of comparing.
Result<bool> is_repeatable(const Program& program, const BenchOptions& options, const Contestant& contestant);

/// The index of a backend's contestant, or their number.
std::size_t index_of(const Contest& contest, const std::vector<Contestant>& contestants, std::string_view backend);

}  // namespace kmux::bench
