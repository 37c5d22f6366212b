#pragma once

namespace kmux::bench {

/// Steps out of 50,000 of random edits, compiles, kills and restarts (tests/fresh) after which something gave the code of headers
/// that were no longer there. Progress, and the seed of each run with such a step, on stderr.
double stale_steps_wrong();

}  // namespace kmux::bench
