#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kmux/backend.h"
#include "kmux/target.h"

namespace kmux::cpu {

/// The canonical target, `cpu:<LLVM's name of the processor>`, for "auto", "cpu", "c", "llvm", each with a processor
/// or without ("cpu:x86-64-v3", "llvm -mcpu=x86-64-v3").
///
/// Errors: invalid_argument for another kind, processor or attribute, with what there is.
Result<Target> resolve_cpu_target(std::string_view request);

/// What `requirements` ask for and `target` does not have.
std::vector<MissingFeature> missing_requirements(const Requires& requirements, const Target& target,
                                                 std::size_t variant);

}  // namespace kmux::cpu
