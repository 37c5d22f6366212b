#pragma once

#include <string_view>

#include "kmux/plugin/backend.h"

#include "options.h"
#include "simt/frontend/job.h"

namespace kmux::cpu {

/// Whether the compiler looks up kernel names that are C++ expressions.
enum class KernelNames { kLookedUp, kLeftOut };

/// Returns the compile job of `request`. For dialect `object` the job has no units: the ready objects go into the
/// artifact unchanged.
///
/// Errors: invalid_argument if a source is neither C nor C++, or is not an object file for the job's processor.
Result<simt::CompileJob> make_job(const BuildRequest& request, const BuildOptions& options, std::string_view launcher,
                                  KernelNames names = KernelNames::kLookedUp);

}  // namespace kmux::cpu
