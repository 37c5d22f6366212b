#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"

#include "entries.h"

namespace kmux::cutedsl {

/// The symbol of each entry in `cubin`. `said` is what CuTe DSL told, in the order of the entries; where it told nothing,
/// the kernels are found by their names' patterns (printed/kernel_pattern.h).
///
/// Errors: compile_failed that names the kernel and the symbols that there are; invalid_argument if it is no cubin.
Result<std::vector<std::string>> kernel_symbols(const std::vector<Entry>& entries, const std::vector<std::string>& said,
                                                std::string_view cubin);

}  // namespace kmux::cutedsl
