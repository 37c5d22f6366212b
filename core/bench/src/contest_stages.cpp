#include "contest_stages.h"

#include "kmux/bench/stage_times.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "contestant.h"
#include "memory_watch.h"

namespace kmux::bench {
namespace {

Result<StageTimes> time_in_a_folder(const Runtime& runtime, const Program& program, const BenchOptions& options,
                                    const Entrant& entrant, const Contestant& contestant) {
  KMUX_TRY(contestant.arguments->refill());
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-bench"));
  return time_stages(runtime, program, options_for(entrant, options.compile), *contestant.arguments, folder.path(),
                     options.repetitions);
}

Result<std::uint64_t> memory_in_a_folder(const Runtime& runtime, const Program& program, const BenchOptions& options,
                                         const Entrant& entrant) {
  KMUX_ASSIGN(const PrivateFolder folder, PrivateFolder::create("kmux-bench"));
  return build_memory(runtime, program, options_for(entrant, options.compile), folder.path());
}

void measure_memory_of(const Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant) {
  const Result<std::uint64_t> bytes = memory_in_a_folder(runtime, program, options, entrant);
  if (bytes) {
    set_column(entrant, Column::kPeakMemory, {static_cast<double>(*bytes) / (1024 * 1024)});
  } else {
    entrant.remarks.push_back("the memory of its build is not measured: " + bytes.error().message);
  }
}

}  // namespace

void time_stages_of(Runtime& runtime, const Program& program, const BenchOptions& options, Entrant& entrant,
                    const Contestant& contestant) {
  Result<StageTimes> times = time_in_a_folder(runtime, program, options, entrant, contestant);
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
    measure_memory_of(runtime, program, options, entrant);
  } else {
    entrant.remarks.push_back("it comes from the cache and is not built here: " + times->not_built);
  }
}

Result<std::shared_ptr<Runtime>> fresh_runtime(const Runtime& like, const std::optional<std::filesystem::path>& cache) {
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
