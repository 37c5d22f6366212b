#pragma once

#include <string>

#include "kmux/error.h"

#include "cpu/grid_unit.h"

namespace kmux::fake_hip {

/// Compiles `unit` with AMD's own compiler as well, for gfx90a, gfx942 and gfx1100, if KMUX_FAKE_HIP_REAL names a real
/// libamdhip64.so. Uses Clang for those that its release does not know. Appends the outcome to the file that
/// KMUX_FAKE_HIP_COMPILED names, a line each: "ok|refused ARCH DIGEST COMPILER", with the digest of the text. If
/// KMUX_FAKE_HIP_KNOWN names a folder, skips texts that the same compiler accepted in an earlier run.
///
/// Errors: compile_failed if one of them refuses a text that the HIP on the CPU accepted.
Status compile_for_real(const HipUnit& unit);

}  // namespace kmux::fake_hip
