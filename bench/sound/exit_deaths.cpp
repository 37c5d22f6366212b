#include "sound/exit_deaths.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "exit_race.h"

namespace kmux::bench {
namespace {

constexpr int kRuns = 250;
constexpr int kProgress = 25;

std::filesystem::path new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kmux-bars-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make \"" + pattern + "\"");
  return pattern;
}

int deaths_of(const char* engine) {
  const std::filesystem::path folder = new_folder();
  const ExitRace race({.application = KMUX_ENDING_APPLICATION, .folder = folder, .engine = engine});
  const BusyCores busy;
  ExitRaceReport all;
  for (int done = 0; done < kRuns; done += kProgress) {
    const ExitRaceReport report = race.run(kProgress, done);
    all.died += report.died;
    all.slowest = std::max(all.slowest, report.slowest);
    if (!report.first_death.empty()) std::fprintf(stderr, "%s\n", report.first_death.c_str());
    std::fprintf(stderr, "engine %s: %d of %d, %d died, the slowest end took %d ms\n", engine, done + kProgress, kRuns,
                 all.died, static_cast<int>(all.slowest.count()));
  }
  std::filesystem::remove_all(folder);
  return all.died;
}

}  // namespace

double exit_deaths() { return deaths_of("clang") + deaths_of("host"); }

}  // namespace kmux::bench
