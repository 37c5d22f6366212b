#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kmux {

/// The results of processes that ended while a better tier was being compiled in the background.
struct ExitRaceReport {
  int died = 0;  // by a signal, or with an invalid exit code or output
  std::chrono::milliseconds slowest{0};  // from the first step of the end to the last
  std::string first_death = {};
};

/// Runs ending_application repeatedly, each time from a cache with only the lower tier, and ends it at different
/// moments of the background compilation.
class ExitRace {
 public:
  struct Settings {
    std::filesystem::path application;
    std::filesystem::path folder;  // for caches
    std::string engine = "clang";  // of backend cpu
    std::string how = "return";
    int least_ms = 0;  // from the call to the end
    int most_ms = 100;
  };
  /// Throws if the application fails even without a race.
  explicit ExitRace(Settings settings);

  /// Makes `count` runs, at moments after those of the `before` runs made already.
  ExitRaceReport run(int count, int before = 0) const;

 private:
  bool run_once(int late_ms, ExitRaceReport& report) const;
  Settings settings_;
};

/// Child processes that keep all cores busy for its lifetime.
class BusyCores {
 public:
  BusyCores();
  ~BusyCores();
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

 private:
  std::vector<int> processes_;
};

}  // namespace kmux
