#include "kmux/bench/stage_times.h"

#include <algorithm>

#include "kmux/artifact.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/trace.h"

#include "contest_stages.h"

namespace kmux::bench {
namespace {

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
  return Ok{};
}

Status time_warm(Runtime& runtime, const Program& program, const CompileOptions& options,
                 const CallArguments& arguments, StageTimes& times) {
  KMUX_TRY(runtime.registry().plugin(options.execution_backend));
  const auto begin = Clock::now();
  KMUX_ASSIGN(const Kernel kernel, compile(runtime, program, options));
  times.load.push_back(microseconds_since(begin));
  const auto called = Clock::now();
  KMUX_TRY(kernel.launch(arguments.args()));
  KMUX_TRY(kernel.device().synchronize());
  times.first_call.push_back(microseconds_since(called));
  return Ok{};
}

Status time_colds(const Runtime& like, const Program& program, CompileOptions options,
                  const std::filesystem::path& folder, int repetitions, StageTimes& times) {
  options.use_cache = false;
  for (int i = 0; i < repetitions; ++i) {
    KMUX_ASSIGN(const std::shared_ptr<Runtime> fresh, fresh_runtime(like, folder));
    KMUX_TRY(time_cold(*fresh, program, options, times));
  }
  return Ok{};
}

}  // namespace

Result<StageTimes> time_stages(const Runtime& runtime, const Program& program, CompileOptions options,
                               const CallArguments& arguments, const std::filesystem::path& folder, int repetitions) {
  StageTimes times;
  const Status cold = time_colds(runtime, program, options, folder, repetitions, times);
  if (!cold) times.not_built = cold.error().message;
  const std::optional<std::filesystem::path> cache = cold ? std::optional(folder) : std::nullopt;
  options.use_cache = true;
  {
    KMUX_ASSIGN(const std::shared_ptr<Runtime> filling, fresh_runtime(runtime, cache));
    KMUX_ASSIGN(const BuildResult built, build(*filling, program, options));
    times.artifact_size = serialize(built.artifact).size();
  }
  for (int i = 0; i < repetitions; ++i) {
    KMUX_ASSIGN(const std::shared_ptr<Runtime> fresh, fresh_runtime(runtime, cache));
    KMUX_TRY(time_warm(*fresh, program, options, arguments, times));
  }
  return times;
}

}  // namespace kmux::bench
