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

/// Returns true if jobs of `variant` have kmux's headers in place of TileLang's, although the folders of `options` have
/// those: `BuildOptions::replaces_templates` decides.
bool can_read_templates(const Variant& variant, const BuildOptions& options);

}  // namespace kmux::cpu
