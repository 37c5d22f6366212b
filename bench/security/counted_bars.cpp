// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bars/bar.h"
#include "counted.h"

namespace kmux::bench::security {
namespace {

const std::string kAttacks = KMUX_BENCH_ROOT "/tests/attacks/";

double counted_by(const std::string& script, const std::string& label, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {KMUX_BENCH_PYTHON3, "-B", kAttacks + script, KMUX_BENCH_KMUX});
  return counted(label, std::move(words));
}

double attacks_tried() { return counted_by("attacks.py", "attacks_tried"); }
double attacks_succeeded() { return counted_by("attacks.py", "attacks_succeeded"); }
double flags_swept() { return counted_by("sweep_flags.py", "flags_swept", {"--list"}); }
double flags_harmful() { return counted_by("sweep_flags.py", "flags_harmful"); }

double sandboxed_compiles_failed() {
  const bool has_headers = std::filesystem::exists(KMUX_BENCH_HEADERS);
  return counted_by(
      "sandboxed.py", "sandboxed_compiles_failed",
      has_headers ? std::vector<std::string>{"--headers", KMUX_BENCH_HEADERS} : std::vector<std::string>());
}

/// Attacks on kmux that were tried (tests/attacks): as root, in the part of two users, with all installed compilers.
BAR("attacks_tried", "attacks", at_least(77), attacks_tried);

/// Of these, attacks by which code ran, a file was written or read, a process ended, or a stale or forged artifact was taken.
BAR("attacks_succeeded", "attacks", at_most(0), attacks_succeeded);

/// Flags of Clang, GCC, nvcc and NVRTC that a program's text was given, each with several values.
BAR("flags_swept", "flags", at_least(1500), flags_swept);

/// Of these, flags that wrote a file, crashed, hung or printed.
BAR("flags_harmful", "flags", at_most(0), flags_harmful);

/// Examples and programs of TileLang that compile with every file in reach, and not as compilers are held.
BAR("sandboxed_compiles_failed", "compilations", at_most(0), sandboxed_compiles_failed);

}  // namespace
}  // namespace kmux::bench::security
