#pragma once

#include <string_view>

#include "kmux/plugin/backend.h"

#include "engine/compiler.h"
#include "options.h"

namespace kmux::cpu {

/// Whether the compiler looks up the names of kernels that are expressions.
enum class KernelNames { kLookedUp, kLeftOut };

/// Returns what the request asks to compile. For dialect `object` the ready objects are no units; they go into the artifact
/// as they are.
///
/// Errors: invalid_argument for a source that is neither C nor C++, or no object file for this machine.
Result<CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher,
                            KernelNames names = KernelNames::kLookedUp);

}  // namespace kmux::cpu
