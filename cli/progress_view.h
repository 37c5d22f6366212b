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

/// What is shown while programs are compiled.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void show(const CompileProgress& event) = 0;
  /// Takes away what is not meant to stay.
  virtual void end() = 0;
};

/// A bar where stderr is a terminal, else lines on stderr. `names` are what the programs are called, by index.
std::unique_ptr<ProgressView> progress_on_stderr(std::vector<std::string> names);

/// A line for each program that has ended, for a log: "[3/64] gemm.kmux.json: compiled with cpu in 120 ms".
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

/// What a bar shows.
struct BarState {
  std::size_t done = 0;  // ended, however they ended
  std::size_t total = 0;
  std::size_t failed = 0;
  double rate = 0;  // a second
  std::optional<std::chrono::milliseconds> eta = {};
  std::vector<std::string> running = {};
};

/// One line of at most `width` characters: bar, done/total, failures, rate, time that is left, what runs now.
std::string bar_text(const BarState& state, std::size_t width);

/// A bar on a terminal, drawn again over itself: at most ten times a second, and gone at the end.
class ProgressBar final : public ProgressView {
 public:
  using Clock = std::chrono::steady_clock;

  /// `write` takes what the terminal gets; `width` says how wide it is now; `now` is the time.
  ProgressBar(std::function<void(const std::string&)> write, std::function<std::size_t()> width,
              std::function<Clock::time_point()> now = Clock::now);
  void show(const CompileProgress& event) override;
  void end() override;
  /// Draws what has changed since it was drawn last, if it is time.
  void tick();

 private:
  std::function<void(const std::string&)> write_;
  std::function<std::size_t()> width_;
  std::function<Clock::time_point()> now_;
  Clock::time_point next_{};
  bool is_drawn_ = false;
  bool has_changed_ = false;
  BarState state_;
  std::map<std::size_t, std::string> running_;  // what compiles now, by index
};

/// "[#####...............]" for a part of 0.25.
std::string bar_of(double part);

/// "45 s", "3 min 05 s", "2 h 10 min".
std::string time_left_text(std::chrono::milliseconds left);

/// What draws `text` over the line that stands there, cut so that it does not wrap on a terminal of `width`.
std::string drawn_over(const std::string& text, std::size_t width);

/// `text` in at most `width` characters, "..." at its end if there were more.
std::string cut(const std::string& text, std::size_t width);

/// What takes away a line that was drawn.
std::string wiped();

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
