#pragma once

#include <string>

#include "kmux/error.h"

#include "cpu/grid_unit.h"

namespace kmux::fake_hip {

/// Compiles `unit` with AMD's own compiler as well, for gfx90a, gfx942 and gfx1100, if KMUX_FAKE_HIP_REAL names a real
/// libamdhip64.so; with Clang where its release does not know one of these. What comes of it goes to the file that
/// KMUX_FAKE_HIP_COMPILED names, a line each: "ok|refused ARCH DIGEST COMPILER", the digest being that of the text. Where
/// KMUX_FAKE_HIP_KNOWN names a folder, what the same compiler has taken in a run before is not compiled again.
///
/// Errors: compile_failed for what one of them refuses: the HIP on the CPU took it.
Status compile_for_real(const HipUnit& unit);

}  // namespace kmux::fake_hip
