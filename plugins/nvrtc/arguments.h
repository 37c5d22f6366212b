#pragma once

#include <string>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/plugin/source_unit.h"

#include "nvidia/arch.h"
#include "nvidia/options.h"
#include "nvrtc_library.h"

namespace kmux::nvrtc {

/// The options that NVRTC is called with, all but those about precompiled headers. `folders` are the toolkit's headers.
///
/// `-default-device` is always among them: without it NVRTC refuses every function and variable that is not marked for
/// the device, so it can only make more sources compile.
std::vector<std::string> compiler_arguments(const nvidia::BuildOptions& options, const Settings& settings,
                                            const SourceUnit& unit, nvidia::Arch arch,
                                            const std::vector<std::string>& folders);

}  // namespace kmux::nvrtc
