// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/plugin/process.h"

#include "bars/bar.h"

namespace kmux::bench::security {
namespace {

const std::string kAttacks = KMUX_BENCH_ROOT "/tests/attacks/";

// What `script` prints as numbers, "NAME N" a line. It is run once, as the bars of one script ask for different ones.
const std::map<std::string, double>& counts_of(const std::string& script, std::vector<std::string> words) {
  static std::map<std::string, std::map<std::string, double>> known;
  if (const auto found = known.find(script); found != known.end()) return found->second;
  words.insert(words.begin(), {KMUX_BENCH_PYTHON3, "-B", kAttacks + script, KMUX_BENCH_KMUX});
  const ProcessResult result = run(Command{std::move(words)}).value();
  std::fputs(result.standard_error.c_str(), stderr);
  std::map<std::string, double>& counts = known[script];
  std::string rest = result.standard_output;
  for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    const std::string line = rest.substr(0, end);
    rest.erase(0, end + 1);
    const std::size_t blank = line.find(' ');
    const bool is_count = blank != line.npos && line.find_first_not_of("0123456789", blank + 1) == line.npos;
    if (is_count) {
      counts[line.substr(0, blank)] = std::stod(line.substr(blank + 1));
    } else if (!line.ends_with(": held")) {
      std::fprintf(stderr, "  %s\n", line.c_str());
    }
  }
  return counts;
}

double counted(const std::string& name, const std::string& script, std::vector<std::string> words = {}) {
  const auto& counts = counts_of(script, std::move(words));
  const auto found = counts.find(name);
  if (found == counts.end()) throw std::runtime_error(script + " does not print " + name);
  return found->second;
}

double attacks_tried() { return counted("attacks_tried", "attacks.py"); }
double attacks_succeeded() { return counted("attacks_succeeded", "attacks.py"); }
double flags_swept() { return counted("flags_swept", "sweep_flags.py"); }
double flags_harmful() { return counted("flags_harmful", "sweep_flags.py"); }

double sandboxed_compiles_failed() {
  const bool has_headers = std::filesystem::exists(KMUX_BENCH_HEADERS);
  return counted("sandboxed_compiles_failed", "sandboxed.py",
                 has_headers ? std::vector<std::string>{"--headers", KMUX_BENCH_HEADERS} : std::vector<std::string>());
}

/// Attacks on kmux that were tried (tests/attacks): as root, who is two users, with all compilers that are here.
BAR("attacks_tried", "attacks", at_least(77), attacks_tried);

/// Of these, attacks by which code ran, a file was written or read, a process ended, or what was taken was stale or forged.
BAR("attacks_succeeded", "attacks", at_most(0), attacks_succeeded);

/// Flags of Clang, GCC, nvcc and NVRTC that a program's text was given, each with several values.
BAR("flags_swept", "flags", at_least(1500), flags_swept);

/// Of these, flags that wrote a file, crashed, hung or printed.
BAR("flags_harmful", "flags", at_most(0), flags_harmful);

/// Examples and programs of TileLang that compile with every file in reach, and not as compilers are held.
BAR("sandboxed_compiles_failed", "compilations", at_most(0), sandboxed_compiles_failed);

}  // namespace
}  // namespace kmux::bench::security
