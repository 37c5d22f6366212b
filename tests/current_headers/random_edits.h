#pragma once

#include <cstdint>
#include <string>

namespace kmux::fresh {

/// What a run found.
struct Outcome {
  int steps = 0;
  int wrong = 0;      // answers that no state of the headers explains which was there during the call
  std::string first;  // of them, with its step
};

/// A random program of steps over threads of two processes that share a cache: edits of headers, compiles, jit calls, calls of
/// older kernels, edits during compiles, several compiles at once, kills and restarts. Each answer is compared with a model that
/// has the new code at once: what begins after an edit has ended must compute what that edit made, or a later one.
///
/// `backend`: "reading", a compiler of the test that takes no time, or the name of a real plugin for dialect `c`.
Outcome run_random_edits(const std::string& backend, std::uint64_t seed, int steps);

}  // namespace kmux::fresh
