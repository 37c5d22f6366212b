#pragma once

#include "compiler_choice.h"

namespace kmux::hip {

/// As `compile`, with hiprtc.
Result<Compiled> compile_with_hiprtc(const HiprtcLibrary& library, const SourceUnit& unit, const Settings& settings,
                                     const BuildOptions& options, std::string_view arch,
                                     const std::vector<std::string>& names);

}  // namespace kmux::hip
