#pragma once

namespace kmux::bench {

/// How many of 500 processes died, or ended later than they may, that ended while a better tier was compiled in the
/// background: 250 with each engine of backend cpu, while other processes keep the cores busy.
double exit_deaths();

}  // namespace kmux::bench
