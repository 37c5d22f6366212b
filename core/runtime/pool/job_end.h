#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux {

/// Receives each job once, as it ends: its place in the input, and its kernel or null. Must neither wait nor throw.
///
/// Threads: those of the pool and the one that called; one at a time.
using JobEnd = std::function<void(std::size_t index, const Kernel* kernel)>;

/// What a failure means for the other jobs.
enum class AfterFailure : std::uint8_t {
  kEnd,   // none is started any more, and the call fails
  kGoOn,  // nothing
};

/// Compiles as the public functions do, and tells `ended` of each job before the others are done.
///
/// Errors: with kEnd the failure, as par_compile; else those of try_par_compile.
Result<std::vector<Result<Kernel>>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                const ParCompileOptions& how, AfterFailure after, const JobEnd& ended);

/// The values of `results`: what kEnd returns has no failure among them.
template <class Made>
Result<std::vector<Made>> values_of(Result<std::vector<Result<Made>>> results) {
  if (!results) return std::move(results).error();
  std::vector<Made> values;
  values.reserve(results->size());
  for (Result<Made>& result : *results) values.push_back(*std::move(result));
  return values;
}

}  // namespace kmux
