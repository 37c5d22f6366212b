#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux {

/// A callback that receives each job once, as it ends: its place in the input, and its kernel or null. Must neither
/// wait nor throw.
///
/// Threads: called on the pool's threads and the caller's; one call at a time.
using JobEnd = std::function<void(std::size_t index, const Kernel* kernel)>;

/// The effect of a failure on the other jobs.
enum class AfterFailure : std::uint8_t {
  kEnd,   // none is started any more, and the call fails
  kGoOn,  // none
};

/// Compiles as the public functions do, and calls `ended` for each job as soon as it ends.
///
/// Errors: with kEnd the failure, as par_compile; else those of try_par_compile.
Result<std::vector<Result<Kernel>>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                const ParCompileOptions& how, AfterFailure after, const JobEnd& ended);

/// Returns the values of `results`, which must come from kEnd and so contain no failure.
template <class Made>
Result<std::vector<Made>> values_of(Result<std::vector<Result<Made>>> results) {
  if (!results) return std::move(results).error();
  std::vector<Made> values;
  values.reserve(results->size());
  for (Result<Made>& result : *results) values.push_back(*std::move(result));
  return values;
}

}  // namespace kmux
