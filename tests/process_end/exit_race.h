#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace kmux {

/// What came of processes that ended while a better tier was compiled in the background.
struct ExitRaceReport {
  int died = 0;  // by a signal, or with another exit code or output than it should have
  std::chrono::milliseconds slowest{0};  // from the first step of the end to the last
  std::string first_death = {};
};

/// Runs ending_application over and over, each time from a cache that has the lesser tier only, and ends it at other moments
/// of the background's life.
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
  /// Throws if the application does not work at all.
  explicit ExitRace(Settings settings);

  /// The moments go on from those of the `before` runs made already.
  ExitRaceReport run(int count, int before = 0) const;

 private:
  bool run_once(int late_ms, ExitRaceReport& report) const;
  Settings settings_;
};

/// Processes that keep all cores busy while it lives.
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
