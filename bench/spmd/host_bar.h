#pragma once

#include <string>

namespace kmux::bench::spmd {

/// The speed of engine clang over that of engine host, tier full, of every program of dialect c in tests/data/tilelang: the
/// least.
double cpu_vs_host_worst();
std::string missing_headers();

}  // namespace kmux::bench::spmd
