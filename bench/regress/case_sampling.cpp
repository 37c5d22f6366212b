#include "regress/case_sampling.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

#include "kmux/bench/sampling.h"
#include "kmux/bench/verdict.h"

namespace kmux::regress {
namespace {

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// Returns the processor time of all threads of this process.
std::chrono::nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Returns a sample: seconds of one of `counted` times, of which `done` are executed.
bench::Sample sample_of(const Burst& burst, Clock clock, int done, int counted) {
  const auto time = clock == Clock::kWall ? now : processor_time;
  return [&burst, time, done, counted]() -> Result<double> {
    const std::chrono::nanoseconds begin = time();
    KMUX_TRY(burst(done));
    return std::chrono::duration<double>(time() - begin).count() / counted;
  };
}

/// Stops by time alone: the two are known to differ, and the size of the difference needs as many rounds as the time
/// allows.
bench::StopRule rule() {
  bench::StopRule rule;
  rule.warm_up = 5;
  rule.fewest = 60;
  rule.most = 5000;
  rule.relative_interval = 0;
  rule.time = std::chrono::milliseconds(250);
  rule.verdict.negligible = std::numeric_limits<double>::max();
  rule.verdict.same = 0;
  return rule;
}

}  // namespace

Result<Interval> sample_case(const RegressCase& regress_case, const Duel& duel, double burden) {
  const int done = static_cast<int>(std::lround(regress_case.work_times * burden));
  const std::vector<bench::Sample> contestants = {
      sample_of(duel.reference, regress_case.clock, regress_case.reference_times, regress_case.reference_times),
      sample_of(duel.work, regress_case.clock, done, regress_case.work_times)};
  KMUX_ASSIGN(const bench::Sampling sampling, sample_in_rounds(contestants, rule(), now));
  return bench::judge(sampling.series[1], sampling.series[0]).ratio;
}

}  // namespace kmux::regress
