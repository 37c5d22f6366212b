#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux {

/// Receives each job once, as it ends: its place in the input, and its kernel or null. Must neither wait nor throw.
///
/// Threads: those of the pool and the one that called; one at a time.
using JobEnd = std::function<void(std::size_t index, const Kernel* kernel)>;

/// Compiles as the public function does, and tells `ended` of each job before the others are done.
Result<std::vector<std::optional<Kernel>>> par_compile(Runtime& runtime, std::span<const CompileJob> jobs,
                                                       const ParCompileOptions& how, const JobEnd& ended);

}  // namespace kmux
