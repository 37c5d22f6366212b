#pragma once

#include "kmux/dispatch.h"

namespace kmux::bench {

/// Returns c = a + b over vectors of n floats: three tensors and one symbol. Kernel `add(a, b, c, n)`, blocks of 128.
Program add_program();

/// As `add_program`, with an L2 window of a.
Program window_program();

/// Returns a program of three tensor maps of 64 x 64 floats; kernel `touch(a_map, b_map, c_map)` reads nothing through
/// them.
Program maps_program();

/// Returns y += 1, twice, over n floats: kernel `step(y, n)`, blocks of 128.
Program pair_program();

}  // namespace kmux::bench
