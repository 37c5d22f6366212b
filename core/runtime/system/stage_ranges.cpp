#include "stage_ranges.h"

#include <atomic>
#include <string>
#include <utility>

#include "kmux/log.h"
#include "kmux/plugin/profiler_ranges.h"

namespace kmux {
namespace {

std::atomic<bool> are_asked_for{false};

/// The ranges of this thread that are open; those up to the floor belong to stages.
thread_local int open_count = 0;
thread_local int stage_floor = 0;

ProfilerRanges open_or_log() noexcept {
  const ProfilerRanges ranges = open_profiler_ranges();
  try {
    if (!ranges.are_open()) log(LogLevel::kWarning, kNoProfilerRanges);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for a line of log
  }
  return ranges;
}

/// Null where they are not shown. Opened by the first stage: until then an application may have set where the log goes.
const ProfilerRanges* shown_ranges() noexcept {
  if (!are_asked_for.load(std::memory_order_relaxed)) return nullptr;
  static const ProfilerRanges ranges = open_or_log();
  return ranges.are_open() ? &ranges : nullptr;
}

void push(const ProfilerRanges& ranges, std::string_view begin, std::string_view end) noexcept {
  try {
    ranges.push(std::string(begin).append(end.empty() ? "" : " ").append(end).c_str());
  } catch (...) {  // no memory for its name
    ranges.push("");
  }
  ++open_count;
}

void pop(const ProfilerRanges& ranges) noexcept {
  ranges.pop();
  --open_count;
}

}  // namespace

void show_stage_ranges(const Environment& environment) {
  const auto value = environment.variables.find("KMUX_NVTX");
  if (value != environment.variables.end() && asks_for_profiler_ranges(value->second.c_str())) are_asked_for = true;
}

int begin_stage_range(const char* stage, std::string_view detail) noexcept {
  const ProfilerRanges* const ranges = shown_ranges();
  if (ranges == nullptr) return -1;
  push(*ranges, stage, detail);
  return std::exchange(stage_floor, open_count);
}

void end_stage_range(int begun) noexcept {
  if (begun < 0) return;
  const ProfilerRanges& ranges = *shown_ranges();
  while (open_count >= stage_floor) pop(ranges);
  stage_floor = begun;
}

void mark_phase_range(bool begins, std::string_view name) noexcept {
  const ProfilerRanges* const ranges = shown_ranges();
  if (ranges == nullptr) return;
  if (begins) {
    push(*ranges, name, "");
  } else if (open_count > stage_floor) {
    pop(*ranges);
  }
}

}  // namespace kmux
