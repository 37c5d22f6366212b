#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kmux/par_compile.h"

namespace kmux::cli {

/// Displays the progress of compilations.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void show(const CompileProgress& event) = 0;
  /// Removes temporary output.
  virtual void end() = 0;
};

/// Returns a bar if stderr is a terminal, else lines on stderr. `names` are the displayed names of the programs, by
/// index.
std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names);

/// Prints a line for each finished program, for a log: "[3/64] gemm.kmux.json: compiled with cpu in 120 ms".
class ProgressLines final : public ProgressView {
 public:
  ProgressLines(std::function<void(const std::string&)> write, std::vector<std::string> names)
      : write_(std::move(write)), names_(std::move(names)) {}
  void show(const CompileProgress& event) override;
  void end() override {}

 private:
  std::function<void(const std::string&)> write_;
  std::vector<std::string> names_;
  std::size_t ended_ = 0;
};

/// The state of a bar.
struct BarState {
  std::size_t done = 0;  // finished, successfully or not
  std::size_t total = 0;
  std::size_t failed = 0;
  double rate = 0;  // programs per second
  std::optional<std::chrono::milliseconds> eta = {};
  std::vector<std::string> running = {};
};

/// Returns a line of at most `width` characters: bar, done/total, failures, rate, remaining time, running programs.
std::string bar_text(const BarState& state, std::size_t width);

/// A bar on a terminal, redrawn in place: at most ten times a second, and removed at the end.
class ProgressBar final : public ProgressView {
 public:
  using Clock = std::chrono::steady_clock;

  /// `write` receives the terminal output; `width` returns the current width; `now` returns the time.
  ProgressBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
              std::function<Clock::time_point()> now = Clock::now);
  void show(const CompileProgress& event) override;
  void end() override;
  /// Redraws if the state has changed and the redraw interval has passed.
  void tick();

 private:
  std::function<void(const std::string&)> write_;
  std::function<std::size_t()> width_;
  std::function<Clock::time_point()> now_;
  Clock::time_point next_{};
  bool is_drawn_ = false;
  bool has_changed_ = false;
  BarState state_;
  std::map<std::size_t, std::string> running_;  // running programs, by index
};

/// Returns "[#####...............]" for a fraction of 0.25.
std::string bar_of(double part);

/// Returns a duration. Examples: "45 s", "3 min 05 s", "2 h 10 min".
std::string time_left_text(std::chrono::milliseconds left);

/// Returns the terminal output that replaces the current line by `text`, cut so that it does not wrap at `width`.
std::string drawn_over(const std::string& text, std::size_t width);

/// Returns at most `width` characters of `text`, ending in "..." if it was longer.
std::string cut(const std::string& text, std::size_t width);

/// Returns the terminal output that removes a drawn line.
std::string wiped();

/// The state of a benchmark's bar.
struct BenchState {
  std::string what;  // the program and the current activity
  double part = 0;   // completed fraction
  std::optional<std::chrono::milliseconds> left = {};
};

/// Returns the line of a bar. Example: "[#####...............]  27 %  gemm: build on cuda  12 s left".
std::string bench_text(const BenchState& state);

/// Returns the remaining time at the current speed. Returns nothing until two seconds and a twentieth of all have
/// passed: before, it would be a guess.
std::optional<std::chrono::milliseconds> time_left(double part, std::chrono::milliseconds elapsed);

/// A bar on a terminal, redrawn in place, at most ten times a second; removed at the end.
class BenchBar {
 public:
  using Clock = std::chrono::steady_clock;

  /// `write` receives the terminal output; `width` returns the current width; `now` returns the time.
  BenchBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
           std::function<Clock::time_point()> now = Clock::now);
  ~BenchBar();
  BenchBar(const BenchBar&) = delete;
  BenchBar& operator=(const BenchBar&) = delete;

  /// Redraws the bar. `part` never decreases. Skips early updates, unless the activity changes.
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
