#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kmux::hip {

/// An architecture of AMD's devices without its features: "gfx90a" of "gfx90a:sramecc+:xnack-".
///
/// Nothing if `text` is none: "gfx", digits, and at most one letter a to f among the last two places.
std::optional<std::string> parse_arch(std::string_view text);

/// Do the compilers of ROCm 5 know `arch`? Those of 6 and later are taken to know all.
///
/// Source: LLVM 15, AMDGPUUsage, "Processors"; gfx11 has no device library in Debian's 5.2.3.
bool is_known_to_rocm5(std::string_view arch);

/// Threads that run together on `arch`: 64 up to gfx9, 32 from gfx10 on.
int wavefront_size(std::string_view arch);

}  // namespace kmux::hip
