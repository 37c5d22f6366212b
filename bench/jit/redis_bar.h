#pragma once

namespace kmux::bench {

/// Units: milliseconds. From the ask to an artifact of 16 KiB in hand, out of a Redis server on loopback, by a node whose
/// disk has nothing.
double redis_hit();

}  // namespace kmux::bench
