#pragma once

#include "kmux/bench/bench_report.h"

namespace kmux::bench {

inline Series series_of(double median) {
  return {{0.9 * median, median, 1.1 * median}, {median, 0.9 * median, 1.1 * median}};
}

/// A report as it is after a run: three backends, one of them wrong, at one point of an axis.
inline Contest contest_at(std::int64_t n) {
  const auto time = static_cast<double>(n);
  Contest contest{.program = "scale",
                  .description = "y = x * <factor>",
                  .point = {{"n", n}},
                  .baseline = "slow",
                  .reference = "slow",
                  .resolution = {{"slow", 0, "c", "c", "chosen", "policy", "highest priority"},
                                 {"absent", 0, "d", "", "refused", "probe", "no device <here>"}},
                  .stops = {{Column::kDeviceHot, "decided"}},
                  .pairs = {{Column::kDeviceHot, {{"slow", "quick", {Verdict::kSlower, {2, 1.92, 2.08}, 40}}}}},
                  .host_drift = 0.07,
                  .device_drift = {{"cuda:0", -0.04}},
                  .flops = time,
                  .bytes = 8 * time};
  Entrant slow{.backend = "slow", .target = "c", .tier = "full", .launcher = "int launch();", .source = "a < b && c"};
  slow.columns = {{Column::kDeviceHot, series_of(2 * time)},
                  {Column::kBuild, series_of(5000)},
                  {Column::kBytesRate, series_of(4)},
                  {Column::kFlopRate, series_of(0.5)}};
  Entrant quick = slow;
  quick.backend = "quick";
  quick.remarks = {"no cache can be flushed"};
  quick.columns[Column::kDeviceHot] = series_of(time);
  quick.verdicts = {{Column::kDeviceHot, {Verdict::kFaster, {0.5, 0.48, 0.52}, 40}}};
  Entrant wrong{
      .backend = "wrong", .target = "c", .tier = {}, .state = EntrantState::kWrong, .problem = "\"y\" differs"};
  contest.entrants = {slow, quick, wrong};
  return contest;
}

inline BenchReport report_example() {
  return {Json::Object{{"processor", "a processor & more"}, {"cores", 2}}, {contest_at(1024), contest_at(4096)}};
}

}  // namespace kmux::bench
