#pragma once

namespace kmux::bench::spmd {

/// How many random kernels give, in a tier, another result than what they mean; their seeds go to stderr.
double generator_wrong();

}  // namespace kmux::bench::spmd
