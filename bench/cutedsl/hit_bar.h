#pragma once

#include <string>

namespace kmux::bench {

/// Bar cutedsl_hit: from a program that the process does not know, but the cache does, to a loaded kernel, over the fake driver.
/// Python is not there.
///
/// Units: milliseconds.   Throws what goes wrong.
double cutedsl_hit();

/// Why it cannot be measured here; empty if it can.
std::string missing_cute_dsl();

}  // namespace kmux::bench
