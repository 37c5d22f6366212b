#include "kmux/trace.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "kmux/json.h"
#include "kmux/log.h"
#include "kmux/plugin/profiler_ranges.h"
#include "kmux/plugin/switch_word.h"

#include "base/immortal.h"
#include "fork_guard.h"
#include "trace_log.h"

namespace kmux {
namespace {

// Enough for minutes of calls; about 90 MB. Later events are only counted.
constexpr std::size_t kMaxEvents = std::size_t{1} << 20;

struct Recording {
  std::mutex mutex;
  ForkGuard guard{mutex};
  Trace trace;
};

/// Never destroyed: plugins may report spans during process exit.
Recording& recording() { return immortal<Recording>(); }

constinit std::atomic<bool> is_recording{false};

int number_of_this_thread() {
  static std::atomic<int> count{0};
  thread_local const int number = ++count;
  return number;
}

/// An event to record. Borrows its texts from the caller.
struct Happening {
  char phase;
  const char* category;
  std::string_view name;
  std::string_view detail;
  std::int64_t begin_ns;
  std::int64_t length_ns = 0;
};

std::string_view kept(Trace& trace, std::string_view text) {
  const auto found = trace.texts.find(text);
  return found != trace.texts.end() ? *found : *trace.texts.emplace(text).first;
}

void add(const Happening& what) noexcept {
  try {
    const int thread = number_of_this_thread();
    const std::lock_guard lock(recording().mutex);
    if (!is_tracing()) return;
    Trace& trace = recording().trace;
    if (trace.events.size() == kMaxEvents) {
      ++trace.dropped;
      return;
    }
    trace.events.push_back({what.phase, what.category, kept(trace, what.name), kept(trace, what.detail), thread,
                            what.begin_ns, what.length_ns});
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for an event; the work that it is about goes on
  }
}

/// Appends nanoseconds as microseconds. Example: "12.345" for 12345.
void append_microseconds(std::string& text, std::int64_t ns) {
  const std::string thousandths = std::to_string(1000 + std::abs(ns) % 1000);
  text.append(ns < 0 ? "-" : "").append(std::to_string(std::abs(ns) / 1000)).append(".");
  text.append(thousandths, 1, std::string::npos);
}

void append_text(std::string& text, const char* key, std::string_view value) {
  text.append(",\"").append(key).append("\":").append(dump(Json(std::string(value))));
}

/// Appends an event as one line of JSON.
void append(std::string& text, const TraceEvent& event) {
  text.append(R"({"ph":")").append(1, event.phase).append(R"(","pid":)").append(std::to_string(getpid()));
  text.append(R"(,"tid":)").append(std::to_string(event.thread)).append(R"(,"ts":)");
  append_microseconds(text, event.begin_ns);
  if (event.phase == 'X') append_microseconds(text.append(R"(,"dur":)"), event.length_ns);
  append_text(text, "cat", event.category);
  append_text(text, "name", event.name);
  if (!event.detail.empty())
    text.append(R"(,"args":{"detail":)").append(dump(Json(std::string(event.detail)))).append("}");
  text.append("}");
}

/// The libraries that show ranges, each with the variable that enables it.
constexpr std::pair<const char*, const RangesLibrary*> kRangesLibraries[] = {{"KMUX_NVTX", &kNvtx},
                                                                             {"KMUX_ROCTX", &kRoctx}};
constexpr std::size_t kLibraryCount = std::size(kRangesLibraries);

std::atomic<unsigned> asked_for{0};  // one bit per library

/// The open ranges of this thread; those up to the floor belong to stages.
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

/// The libraries that were requested and are available.
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

/// Returns null if no ranges are shown. The first stage opens the libraries, so that an application can set the log
/// sink before. The set is then fixed, so that a range ends in the library that began it.
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
  } catch (...) {  // out of memory for its name
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
  add({'X', "call", kernel, "", begin_ns, trace_clock_ns() - begin_ns});
}

void add_stage(const char* name, const std::string& program, std::int64_t begin_ns) noexcept {
  if (is_tracing()) add({'X', "compile", name, program, begin_ns, trace_clock_ns() - begin_ns});
}

void add_plugin_phase(const std::string& plugin, bool begins, std::string_view name) noexcept {
  mark_phase_range(begins, name);
  if (is_tracing()) add({begins ? 'B' : 'E', "plugin", name, plugin, trace_clock_ns()});
}

void start_trace() {
  const std::lock_guard lock(recording().mutex);
  recording().trace = {};
  is_recording = true;
}

Trace stop_trace() {
  const std::lock_guard lock(recording().mutex);
  is_recording = false;
  return std::exchange(recording().trace, {});
}

void Trace::write_to(std::ostream& out) const {
  out << kTraceHead << dropped << R"(},"traceEvents":[)";
  std::string line;
  for (const TraceEvent& event : events) {
    line = &event == &events.front() ? "\n" : ",\n";
    append(line, event);
    out << line;
  }
  out << "\n]}";
}

std::string Trace::to_json() const {
  std::ostringstream text;
  write_to(text);
  return std::move(text).str();
}

bool is_tracing() noexcept { return is_recording.load(std::memory_order_relaxed); }

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
  add({'X', "compile", name_, detail_, begin_ns_, trace_clock_ns() - begin_ns_});
}

void show_stage_ranges(const Environment& environment) {
  for (std::size_t i = 0; i < kLibraryCount; ++i) {
    const auto value = environment.variables.find(kRangesLibraries[i].first);
    if (value != environment.variables.end() && is_on(value->second)) asked_for |= 1U << i;
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
