#include "turns.h"

#include <algorithm>
#include <cmath>
#include <sched.h>
#include <system_error>

#include "../timing.h"

namespace kmux::bench::spmd {
namespace {

constexpr int kTurns = 5;
constexpr double kTurnMs = 100;
constexpr double kBurstMs = 0.1;

struct Series {
  int burst = 1;  // calls
  double best = 0;
  double turn_ms = 0;  // of this turn
  int bursts = 0;  // of this turn
  std::vector<double> means = {};
};

double burst_ms(const std::function<void()>& call, int calls) {
  return milliseconds_of([&] {
    for (int i = 0; i < calls; ++i) call();
  });
}

int burst_for(const std::function<void()>& call) {
  int calls = 1;
  while (burst_ms(call, calls) < kBurstMs) calls *= 2;
  return calls;
}

void take_burst(const std::function<void()>& call, Series& series) {
  const double time = burst_ms(call, series.burst);
  series.turn_ms += time;
  ++series.bursts;
  const double one = time / series.burst;
  series.best = series.best == 0 ? one : std::min(series.best, one);
}

// Runs burst by burst until each call has used its time.
void take_turn(const std::vector<std::function<void()>>& calls, std::vector<Series>& all) {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (all[i].turn_ms >= kTurnMs) continue;
      take_burst(calls[i], all[i]);
      goes_on = true;
    }
  }
  for (Series& series : all) {
    series.means.push_back(series.turn_ms / series.bursts / series.burst);
    series.turn_ms = 0;
    series.bursts = 0;
  }
}

}  // namespace

std::vector<Times> time_in_turns(const std::vector<std::function<void()>>& calls) {
  std::vector<Series> all;
  all.reserve(calls.size());
  for (const auto& call : calls) all.push_back({burst_for(call)});
  for (int turn = 0; turn < kTurns; ++turn) take_turn(calls, all);
  std::vector<Times> times;
  times.reserve(all.size());
  for (const Series& series : all) times.push_back({series.best / 1000, median(series.means) / 1000});
  return times;
}

struct Processors::Set {
  cpu_set_t processors;
};

Processors::Processors(int count) : before_(new Set) {
  const auto check = [](int failed) {
    if (failed != 0) throw std::system_error(errno, std::generic_category(), "affinity");
  };
  check(sched_getaffinity(0, sizeof before_->processors, &before_->processors));
  cpu_set_t some;
  CPU_ZERO(&some);
  for (int i = CPU_SETSIZE - 1; i >= 0 && CPU_COUNT(&some) < count; --i) {  // interrupts are often the first one's
    if (CPU_ISSET(i, &before_->processors)) CPU_SET(i, &some);
  }
  check(sched_setaffinity(0, sizeof some, &some));
}

Processors::~Processors() {
  sched_setaffinity(0, sizeof before_->processors, &before_->processors);
  delete before_;
}

}  // namespace kmux::bench::spmd
