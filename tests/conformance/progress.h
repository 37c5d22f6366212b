#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kmux::conformance {

/// How far a case of many programs has come: a line now and then, none of a short one.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};

  /// `write` gets each line, with its end.
  Progress(std::string what, std::uint32_t count, std::function<void(const std::string&)> write)
      : what_(std::move(what)), count_(count), write_(std::move(write)) {}

  /// `done` of them are done.
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
  std::optional<Clock::time_point> told_;  // when the last line was written, or the first was asked for
};

}  // namespace kmux::conformance
