#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kmux::conformance {

/// Reports the progress of a case of many programs: a line at intervals, none for a short case.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};

  /// `write` receives each line, with its line end.
  Progress(std::string what, std::uint32_t count, std::function<void(const std::string&)> write)
      : what_(std::move(what)), count_(count), write_(std::move(write)) {}

  /// Reports that `done` programs are done.
  void tell(std::uint32_t done, Clock::time_point now = Clock::now()) {
    if (!told_) told_ = now;
    if (now - *told_ < kInterval) return;
    told_ = now;
    write_(what_ + ": " + std::to_string(done) + " of " + std::to_string(count_) + " done\n");
  }

 private:
  std::string what_;
  std::uint32_t count_;
  std::function<void(const std::string&)> write_;
  std::optional<Clock::time_point> told_;  // time of the last line, or of the first call
};

}  // namespace kmux::conformance
