#pragma once

#include "kmux/dispatch.h"

namespace kmux::bench {

/// Returns c = a + b over vectors of n floats in dialect cutedsl: kernel `add(a, b, c)`, blocks of 128. Each `number`
/// gives a different program for caches.
Program cutedsl_add_program(int number = 0);

}  // namespace kmux::bench
