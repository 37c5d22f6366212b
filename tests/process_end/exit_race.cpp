#include "exit_race.h"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "kmux/plugin/process.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kLimit = std::chrono::seconds(60);
constexpr auto kLastHandler = std::chrono::milliseconds(20);  // of the application

Command command_of(const ExitRace::Settings& settings, const fs::path& cache, int late_ms) {
  return {.argv = {settings.application.string(), settings.how, std::to_string(late_ms)},
          .environment = {{"KMUX_CACHE_DIR", cache.string()},
                          {"KMUX_DISABLE_CACHE", ""},
                          {"KMUX_OPTION_CPU_ENGINE", settings.engine},
                          {"TMPDIR", settings.folder.string()}},
          .timeout = kLimit};
}

/// Returns the time at which the application's end began, as it printed; nothing if it did not reach it.
Clock::time_point begin_of_end(const std::string& output) {
  constexpr std::string_view kMark = "ends at ";
  const std::size_t at = output.find(kMark);
  if (at == std::string::npos) return Clock::time_point::max();
  return Clock::time_point(std::chrono::nanoseconds(std::stoll(output.substr(at + kMark.size()))));
}

std::string describe(const Result<ProcessResult>& result, int late_ms) {
  const std::string how = result ? "exit code " + std::to_string(result->exit_code) + ", " + result->standard_output +
                                       result->standard_error
                                 : result.error().message;
  return "ended " + std::to_string(late_ms) + " ms after its call: " + how;
}

}  // namespace

ExitRace::ExitRace(Settings settings) : settings_(std::move(settings)) {
  Command warm = command_of(settings_, settings_.folder / "warm", 0);
  warm.argv[1] = "return";
  warm.environment["KMUX_OPTION_CPU_TIER"] = "fast";
  const auto result = kmux::run(warm);
  if (!result || result->exit_code != 0) throw std::runtime_error(describe(result, 0));
}

bool ExitRace::run_once(int late_ms, ExitRaceReport& report) const {
  const fs::path cache = settings_.folder / "cache";
  fs::remove_all(cache);
  fs::copy(settings_.folder / "warm", cache, fs::copy_options::recursive);
  const auto result = kmux::run(command_of(settings_, cache, late_ms));
  const Clock::time_point ended = Clock::now();
  if (!result || result->exit_code != 0 || !result->standard_output.starts_with("right\n")) {
    if (report.died == 0) report.first_death = describe(result, late_ms);
    return false;
  }
  const auto took = ended - begin_of_end(result->standard_output) - kLastHandler;
  report.slowest = std::max(report.slowest, std::chrono::duration_cast<std::chrono::milliseconds>(took));
  return true;
}

ExitRaceReport ExitRace::run(int count, int before) const {
  constexpr int kStep = 7;  // coprime to any range, so that each moment is covered
  ExitRaceReport report;
  for (int i = before; i < before + count; ++i) {
    const int range = std::max(settings_.most_ms - settings_.least_ms, 1);
    if (!run_once(settings_.least_ms + i * kStep % range, report)) ++report.died;
  }
  return report;
}

BusyCores::BusyCores() {
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(3600);  // even if the parent dies
      for (volatile unsigned spin = 0;;) static_cast<void>(spin);
    }
    if (child > 0) processes_.push_back(child);
  }
}

BusyCores::~BusyCores() {
  for (const int process : processes_) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

}  // namespace kmux
