#include "scarcity.h"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <stdexcept>

#include "kmux/plugin/process.h"

namespace kmux {
namespace {

/// Returns the value of LD_PRELOAD. If the address sanitizer is present, its library must come first.
std::string preloaded() {
  Dl_info sanitizer{};
  const void* const start = ::dlsym(RTLD_DEFAULT, "__asan_init");
  if (start == nullptr || ::dladdr(start, &sanitizer) == 0) return KMUX_SCARCE;
  return std::string(sanitizer.dli_fname) + ":" + KMUX_SCARCE;
}

namespace fs = std::filesystem;

constexpr auto kScarceLimit = std::chrono::seconds(30);
constexpr int kRefused = 3;  // the application printed an error

Result<ProcessResult> run_application(const Scarcity& scarcity, int number) {
  fs::remove_all(scarcity.folder / "cache");
  const std::string late = "100";  // the background compilation has begun by then
  return kmux::run({.argv = {KMUX_ENDING_APPLICATION, "quick", late},
                    .environment = {{"KMUX_CACHE_DIR", (scarcity.folder / "cache").string()},
                                    {"KMUX_DISABLE_CACHE", ""},
                                    {"KMUX_ISOLATION", scarcity.isolation},
                                    {"KMUX_OPTION_CPU_ENGINE", scarcity.engine},
                                    {"KMUX_SCARCE", scarcity.kind + " " + std::to_string(number)},
                                    {"KMUX_SCARCE_COUNT", (scarcity.folder / "count").string()},
                                    {"LD_PRELOAD", preloaded()},
                                    {"TMPDIR", scarcity.folder.string()}},
                    .timeout = kScarceLimit});
}

void judge(const Result<ProcessResult>& result, int number, ScarcityReport& report) {
  ++report.failed;
  const bool is_right = result && result->exit_code == 0 && result->standard_output.starts_with("right\n");
  const bool is_refused = result && result->exit_code == kRefused;
  if (is_refused) ++report.refused;
  if (is_right || is_refused) return;
  ++(result ? report.died : report.hung);
  if (!report.first_problem.empty()) return;
  report.first_problem = "number " + std::to_string(number) + ": " +
                         (result ? "exit code " + std::to_string(result->exit_code) + ", " + result->standard_output +
                                       result->standard_error
                                 : result.error().explain());
}

}  // namespace

ScarcityReport Scarcity::run(int most) const {
  const auto plenty = run_application(*this, 0);
  if (!plenty || plenty->exit_code != 0)
    throw std::runtime_error(plenty ? plenty->standard_output + plenty->standard_error : plenty.error().explain());
  ScarcityReport report;
  std::ifstream(folder / "count") >> report.calls;
  const int step = std::max(1, (report.calls + most - 1) / most);
  for (int number = 1; number <= report.calls; number += step) judge(run_application(*this, number), number, report);
  return report;
}

}  // namespace kmux
