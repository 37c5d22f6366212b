#pragma once

namespace kmux::bench {

/// How many of the values that eight nodes get at the same time they have: 8 MiB each, through a network of 200 Mbit/s that
/// all of them share, with the time-outs that users have.
double redis_loaded_hit_ratio();

}  // namespace kmux::bench
