#pragma once

#include <string>
#include <vector>

namespace kmux::bench::spmd {

/// With it this program is a process that measures for another one (launch_bars.h).
inline constexpr const char* kSecondsWord = "--seconds";

/// What the arguments of bars_spmd say.
struct Settings {
  std::string march = "native";  // for kmux and for the compilers of native code
  bool is_verbose = false;       // a line on stderr for each problem
  unsigned kernels = 100;        // random ones
  unsigned seed = 1;             // of the first of them
  std::string other_backend;     // that runs them, too: nvrtc, on a machine with a GPU

  /// Takes what it knows out of `words`, and leaves the names of bars.
  void take_from(std::vector<std::string>& words);
  /// The same as words, for another process.
  std::vector<std::string> words() const;
};

Settings& settings();

}  // namespace kmux::bench::spmd
