#include "kmux/bench/stage_times.h"

#include <algorithm>
#include <chrono>

#include "kmux/artifact.h"
#include "kmux/trace.h"

#include "fresh_runtime.h"

namespace kmux::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// The spans of that name together, in microseconds.
double total(const Trace& trace, std::string_view name) {
  double sum = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.category == "compile" && event.name == name) sum += static_cast<double>(event.length_ns) / 1000;
  }
  return sum;
}

Status time_cold(Runtime& runtime, const Program& program, const CompileOptions& options, StageTimes& times) {
  KMUX_TRY(runtime.registry().plugin(options.execution_backend));  // open, as in a process that has used it
  start_trace();
  const Result<BuildResult> built = build(runtime, program, options);
  const Trace trace = stop_trace();
  if (!built) return built.error();
  times.resolve.push_back(total(trace, "resolve"));
  times.wrap.push_back(total(trace, "wrap"));
  times.build.push_back(total(trace, "build"));
  times.artifact_size = serialize(built->artifact).size();
  return Ok{};
}

Status time_warm(const Runtime& like, const Program& program, const CompileOptions& options,
                 const CallArguments& arguments, const std::filesystem::path& cache, StageTimes& times) {
  KMUX_ASSIGN(const std::shared_ptr<Runtime> runtime, fresh_runtime(like, cache));
  KMUX_TRY(runtime->registry().plugin(options.execution_backend));  // open, as in a process that has used it
  const auto begin = Clock::now();
  KMUX_ASSIGN(const Kernel kernel, compile(*runtime, program, options));
  times.load.push_back(microseconds_since(begin));
  const auto called = Clock::now();
  KMUX_TRY(kernel.launch(arguments.args()));
  KMUX_TRY(kernel.device().synchronize());
  times.first_call.push_back(microseconds_since(called));
  return Ok{};
}

}  // namespace

Result<StageTimes> time_stages(const Runtime& runtime, const Program& program, CompileOptions options,
                               const CallArguments& arguments, const std::filesystem::path& folder, int repetitions) {
  StageTimes times;
  for (int i = 0; i < repetitions; ++i) {
    KMUX_ASSIGN(const std::shared_ptr<Runtime> fresh, fresh_runtime(runtime, folder));
    options.use_cache = false;
    KMUX_TRY(time_cold(*fresh, program, options, times));
  }
  options.use_cache = true;
  StageTimes filling;  // the first one fills the cache
  KMUX_TRY(time_warm(runtime, program, options, arguments, folder, filling));
  for (int i = 0; i < repetitions; ++i) KMUX_TRY(time_warm(runtime, program, options, arguments, folder, times));
  return times;
}

}  // namespace kmux::bench
