#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace kmux::cli {

/// What a bar of a benchmark shows.
struct BenchState {
  std::string what;  // the program, and what is done with it
  double part = 0;   // of all
  std::optional<std::chrono::milliseconds> left = {};
};

/// "[#####...............]  27 %  gemm: build on cuda  12 s left".
std::string bench_text(const BenchState& state);

/// How long the rest takes if it goes on as it did; nothing while that is a guess: before two seconds or a twentieth of all.
std::optional<std::chrono::milliseconds> time_left(double part, std::chrono::milliseconds elapsed);

/// A bar on a terminal, drawn over itself, at most ten times a second; gone at the end.
class BenchBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// `write` takes what the terminal gets; `width` says how wide it is now; `now` is the time.
  BenchBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
           std::function<Clock::time_point()> now = Clock::now);
  ~BenchBar();
  BenchBar(const BenchBar&) = delete;
  BenchBar& operator=(const BenchBar&) = delete;

  /// `part` never goes back. What follows too soon is not drawn, unless something else is being done.
  void show(const std::string& what, double part);

 private:
  std::function<void(const std::string&)> write_;
  std::function<std::size_t()> width_;
  std::function<Clock::time_point()> now_;
  Clock::time_point begin_;
  Clock::time_point next_{};
  BenchState state_ = {};
  bool is_drawn_ = false;
};

}  // namespace kmux::cli
