#pragma once

#include "kmux/dispatch.h"

namespace kmux::bench {

/// c = a + b over vectors of n floats in dialect cutedsl: kernel `add(a, b, c)`, blocks of 128. Each `number` is another
/// program to caches.
Program cutedsl_add_program(int number = 0);

}  // namespace kmux::bench
