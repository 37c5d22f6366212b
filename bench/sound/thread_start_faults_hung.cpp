#include "sound/thread_start_faults_hung.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "scarcity.h"

namespace kmux::bench {
namespace {

// Engine and isolation.
constexpr std::array<std::pair<const char*, const char*>, 3> kWays = {
    {{"clang", "none"}, {"host", "none"}, {"clang", "process"}}};

constexpr int kMost = 100;

int faults_of(const char* kind, const char* engine, const char* isolation) {
  std::string pattern = (std::filesystem::temp_directory_path() / "kmux-bars-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make \"" + pattern + "\"");
  const ScarcityReport report =
      Scarcity{.folder = pattern, .kind = kind, .engine = engine, .isolation = isolation}.run(kMost);
  std::filesystem::remove_all(pattern);
  std::fprintf(stderr, "%s, engine %s, isolation %s: %d failed, %d got an error, %d died, %d hung\n", kind, engine,
               isolation, report.failed, report.refused, report.died, report.hung);
  if (!report.first_problem.empty()) std::fprintf(stderr, "%s\n", report.first_problem.c_str());
  return report.died + report.hung;
}

}  // namespace

double thread_start_faults_hung() {
  int bad = 0;
  for (const char* kind : {"thread", "process", "descriptor", "memory"})
    for (const auto& [engine, isolation] : kWays) bad += faults_of(kind, engine, isolation);
  return bad;
}

}  // namespace kmux::bench
