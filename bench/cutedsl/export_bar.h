#pragma once

#include <string>

namespace kmux::bench {

/// Bar export_call_over_bare: a call of an exported library of backend cpu as a program in C makes it, its three tensors
/// packed and checked, less a direct call of the same function.
///
/// Units: nanoseconds.   Throws what goes wrong.
double export_call_over_bare();

/// Why it cannot be measured here; empty if it can.
std::string missing_host_compiler();

}  // namespace kmux::bench
