#include "kmux/trace.h"

#include <array>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kmux/json.h"
#include "kmux/log.h"
#include "kmux/plugin/profiler_ranges.h"

#include "fork_guard.h"
#include "trace_log.h"

namespace kmux {
namespace {

// Enough for minutes of calls; about 100 MB. What comes after them is counted.
constexpr std::size_t kMostEvents = std::size_t{1} << 20;

struct Recording {
  std::mutex mutex;
  ForkGuard guard{mutex};
  Trace trace;
  std::atomic<bool> is_on{false};
};

/// Never destroyed: plugins may tell of spans while the process ends.
Recording& recording() {
  static Recording& instance = *new Recording;
  return instance;
}

int number_of_this_thread() {
  static std::atomic<int> count{0};
  thread_local const int number = ++count;
  return number;
}

/// Adds what `make` gives.
template <class Make>
void add(const Make& make) noexcept {
  try {
    TraceEvent event = make();
    const std::lock_guard lock(recording().mutex);
    if (!is_tracing()) return;
    Trace& trace = recording().trace;
    if (trace.events.size() == kMostEvents) {
      ++trace.dropped;
    } else {
      trace.events.push_back(std::move(event));
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for an event; the work that it is about goes on
  }
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

Json json_of(const TraceEvent& event) {
  Json::Object object{{"ph", std::string(1, event.phase)},
                      {"cat", event.category},
                      {"name", event.name},
                      {"pid", static_cast<std::int64_t>(getpid())},
                      {"tid", static_cast<std::int64_t>(event.thread)},
                      {"ts", microseconds(event.begin_ns)}};
  if (event.phase == 'X') object.emplace("dur", microseconds(event.length_ns));
  if (!event.detail.empty()) object.emplace("args", Json::Object{{"detail", event.detail}});
  return object;
}

/// The libraries that show ranges, each with the variable that asks for it.
constexpr std::pair<const char*, const RangesLibrary*> kRangesLibraries[] = {{"KMUX_NVTX", &kNvtx},
                                                                             {"KMUX_ROCTX", &kRoctx}};
constexpr std::size_t kLibraryCount = std::size(kRangesLibraries);

std::atomic<unsigned> asked_for{0};  // a bit for each

/// The ranges of this thread that are open; those up to the floor belong to stages.
thread_local int open_count = 0;
thread_local int stage_floor = 0;

ProfilerRanges open_or_log(const RangesLibrary& library) noexcept {
  const ProfilerRanges ranges = open_profiler_ranges(library);
  try {
    if (!ranges.are_open()) log(LogLevel::kWarning, library.missing);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for a line of log
  }
  return ranges;
}

/// Those that were asked for and are there.
struct ShownRanges {
  std::array<ProfilerRanges, kLibraryCount> libraries = {};
  std::size_t count = 0;

  ShownRanges() noexcept {
    for (std::size_t i = 0; i < kLibraryCount; ++i) {
      if ((asked_for.load(std::memory_order_relaxed) >> i & 1) == 0) continue;
      libraries[count] = open_or_log(*kRangesLibraries[i].second);
      if (libraries[count].are_open()) ++count;
    }
  }
  std::span<const ProfilerRanges> all() const noexcept { return {libraries.data(), count}; }
};

/// Null where none are shown. Opened by the first stage: until then an application may have set where the log goes. From then
/// on the same, so that what is begun in a library is ended in it.
const ShownRanges* shown_ranges() noexcept {
  if (asked_for.load(std::memory_order_relaxed) == 0) return nullptr;
  static const ShownRanges shown;
  return shown.count > 0 ? &shown : nullptr;
}

void push(const ShownRanges& shown, const char* name) noexcept {
  for (const ProfilerRanges& ranges : shown.all()) ranges.push(name);
  ++open_count;
}

void push(const ShownRanges& shown, std::string_view begin, std::string_view end) noexcept {
  try {
    push(shown, std::string(begin).append(end.empty() ? "" : " ").append(end).c_str());
  } catch (...) {  // no memory for its name
    push(shown, "");
  }
}

void pop(const ShownRanges& shown) noexcept {
  for (const ProfilerRanges& ranges : shown.all()) ranges.pop();
  --open_count;
}

}  // namespace

std::int64_t trace_clock_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void add_call(const std::string& kernel, std::int64_t begin_ns) noexcept {
  const std::int64_t length = trace_clock_ns() - begin_ns;
  add([&] { return TraceEvent{'X', "call", kernel, "", number_of_this_thread(), begin_ns, length}; });
}

void add_stage(const char* name, const std::string& program, std::int64_t begin_ns) noexcept {
  if (!is_tracing()) return;
  const std::int64_t length = trace_clock_ns() - begin_ns;
  add([&] { return TraceEvent{'X', "compile", name, program, number_of_this_thread(), begin_ns, length}; });
}

void add_plugin_phase(const std::string& plugin, bool begins, std::string_view name) noexcept {
  mark_phase_range(begins, name);
  if (!is_tracing()) return;
  const char phase = begins ? 'B' : 'E';
  add([&] {
    return TraceEvent{phase, "plugin", std::string(name), plugin, number_of_this_thread(), trace_clock_ns(), 0};
  });
}

void start_trace() {
  const std::lock_guard lock(recording().mutex);
  recording().trace = {};
  recording().is_on = true;
}

Trace stop_trace() {
  const std::lock_guard lock(recording().mutex);
  recording().is_on = false;
  return std::exchange(recording().trace, {});
}

std::string Trace::to_json() const {
  Json::Array list;
  for (const TraceEvent& event : events) list.push_back(json_of(event));
  return dump(Json::Object{{"traceEvents", std::move(list)},
                           {"displayTimeUnit", "ns"},
                           {"otherData", Json::Object{{"dropped", static_cast<std::int64_t>(dropped)}}}});
}

bool is_tracing() noexcept { return recording().is_on.load(std::memory_order_relaxed); }

TraceSpan::TraceSpan(const char* name, std::string_view detail) noexcept
    : name_(is_tracing() ? name : nullptr), range_(begin_stage_range(name, detail)) {
  if (name_ == nullptr) return;
  try {
    detail_ = detail;
  } catch (...) {  // NOLINT(bugprone-empty-catch): a span without its detail
  }
  begin_ns_ = trace_clock_ns();
}

TraceSpan::~TraceSpan() {
  end_stage_range(range_);
  if (name_ == nullptr) return;
  const std::int64_t length = trace_clock_ns() - begin_ns_;
  add([&] {
    return TraceEvent{'X', "compile", name_, std::move(detail_), number_of_this_thread(), begin_ns_, length};
  });
}

void show_stage_ranges(const Environment& environment) {
  for (std::size_t i = 0; i < kLibraryCount; ++i) {
    const auto value = environment.variables.find(kRangesLibraries[i].first);
    if (value != environment.variables.end() && asks_for_profiler_ranges(value->second.c_str())) asked_for |= 1U << i;
  }
}

int begin_stage_range(const char* stage, std::string_view detail) noexcept {
  const ShownRanges* const shown = shown_ranges();
  if (shown == nullptr) return -1;
  push(*shown, stage, detail);
  return std::exchange(stage_floor, open_count);
}

void end_stage_range(int begun) noexcept {
  if (begun < 0) return;
  const ShownRanges& shown = *shown_ranges();
  while (open_count >= stage_floor) pop(shown);
  stage_floor = begun;
}

void mark_phase_range(bool begins, std::string_view name) noexcept {
  const ShownRanges* const shown = shown_ranges();
  if (shown == nullptr) return;
  if (begins) {
    push(*shown, name, "");
  } else if (open_count > stage_floor) {
    pop(*shown);
  }
}

}  // namespace kmux
