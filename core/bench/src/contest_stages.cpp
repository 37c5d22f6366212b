#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kmux/artifact.h"
#include "kmux/bench/call_arguments.h"
#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/registry.h"
#include "kmux/trace.h"

#include "contest.h"
#include "memory_watch.h"

namespace kmux::bench {
namespace {

/// The times until a program can be called on one backend. Units: microseconds, one sample a repetition.
struct StageTimes {
  std::vector<double> resolve;
  std::vector<double> wrap;
  std::vector<double> build;
  std::vector<double> load;
  std::vector<double> first_call;
  /// Units: bytes.
  std::size_t artifact_size = 0;
  /// The reason if it cannot be built here but a cache has it; resolve, wrap and build are then not timed.
  std::string not_built;
};

/// Returns the total length of the spans of that name, in microseconds.
double total(const Trace& trace, std::string_view name) {
  double sum = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.category == "compile" && event.name == name) sum += static_cast<double>(event.length_ns) / 1000;
  }
  return sum;
}

Status time_cold(Runtime& runtime, const Program& program, const CompileOptions& options, StageTimes& times) {
  KMUX_TRY(runtime.registry().plugin(options.execution_backend));  // opened before, as in a process that has used it
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
  KMUX_TRY(arguments.set_constants(kernel));
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
    KMUX_ASSIGN(const Shared<Runtime> fresh, fresh_runtime(like, folder));
    KMUX_TRY(time_cold(*fresh, program, options, times));
  }
  return Ok{};
}

/// Compiles `program` `repetitions` times without the cache, then as often from the cache in `folder`, each time with a
/// new runtime. The caller owns `folder`, which must be new. Then calls the kernel with `arguments`. The cold times
/// come from the runtime's own trace. A program that cannot be built here is loaded from the cache of `runtime`.
///
/// Threads: no other trace may be recorded meanwhile.
/// Errors:  those of `compile` for a program that no cache has.
Result<StageTimes> time_stages(const Runtime& runtime, const Program& program, CompileOptions options,
                               const CallArguments& arguments, const std::filesystem::path& folder, int repetitions) {
  StageTimes times;
  const Status cold = time_colds(runtime, program, options, folder, repetitions, times);
  if (!cold) times.not_built = cold.error().message;
  const std::optional<std::filesystem::path> cache = cold ? std::optional(folder) : std::nullopt;
  options.use_cache = true;
  {
    KMUX_ASSIGN(const Shared<Runtime> filling, fresh_runtime(runtime, cache));
    KMUX_ASSIGN(const BuildResult built, build(*filling, program, options));
    times.artifact_size = serialize(built.artifact).size();
  }
  for (int i = 0; i < repetitions; ++i) {
    KMUX_ASSIGN(const Shared<Runtime> fresh, fresh_runtime(runtime, cache));
    KMUX_TRY(time_warm(*fresh, program, options, arguments, times));
  }
  return times;
}

Result<StageTimes> time_with_folder(const Runtime& runtime, const Program& program, const BenchOptions& options,
                                    const Entrant& entrant, const Contestant& contestant) {
  KMUX_TRY(contestant.arguments->refill());
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-bench"));
  return time_stages(runtime, program, options_for(entrant, options.compile), *contestant.arguments, folder.path(),
                     options.repetitions);
}

Result<std::uint64_t> memory_with_folder(const Runtime& runtime, const Program& program, const BenchOptions& options,
                                         const Entrant& entrant) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-bench"));
  return build_memory(runtime, program, options_for(entrant, options.compile), folder.path());
}

void measure_memory(const Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant) {
  const Result<std::uint64_t> bytes = memory_with_folder(runtime, program, options, entrant);
  if (bytes) {
    set_column(entrant, Column::kPeakMemory, {static_cast<double>(*bytes) / (1024 * 1024)});
  } else {
    entrant.remarks.push_back("the memory of its build is not measured: " + bytes.error().message);
  }
}

}  // namespace

void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant) {
  Result<StageTimes> times = time_with_folder(runtime, program, options, entrant, contestant);
  if (!times) {
    entrant.remarks.push_back("its stages are not timed: " + times.error().message);
    return;
  }
  set_column(entrant, Column::kResolve, std::move(times->resolve));
  set_column(entrant, Column::kWrap, std::move(times->wrap));
  set_column(entrant, Column::kBuild, std::move(times->build));
  set_column(entrant, Column::kLoad, std::move(times->load));
  set_column(entrant, Column::kFirstCall, std::move(times->first_call));
  set_column(entrant, Column::kArtifactSize, {static_cast<double>(times->artifact_size) / 1024});
  if (times->not_built.empty()) {
    measure_memory(runtime, program, options, entrant);
  } else {
    entrant.remarks.push_back("it comes from the cache and is not built here: " + times->not_built);
  }
}

Result<Shared<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache) {
  Environment environment = like.environment();
  if (cache) {
    environment.cache_dir = *cache;
    environment.cache_read_only.clear();
    environment.remote_cache.clear();
    environment.disable_cache = false;
  }
  RegistryOptions registry;
  registry.search_path = like.registry().search_path();
  registry.use_default_path = false;
  registry.plugin_options = like.registry().plugin_options();
  return Runtime::create(std::move(environment), registry);
}

}  // namespace kmux::bench
