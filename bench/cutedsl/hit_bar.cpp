#include <memory>
#include <stdexcept>
#include <vector>

#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "bars/bar.h"
#include "cutedsl/programs.h"
#include "fake_cuda.h"
#include "scratch.h"
#include "timing.h"

namespace kmux::bench {
namespace {

constexpr int kRounds = 15;

const CompileOptions kHitOptions{.target = "cuda:sm_90a", .execution_backend = "cutedsl"};

Shared<Runtime> runtime_with(const std::filesystem::path& cache, RegistryOptions options) {
  Environment environment;
  environment.cache_dir = cache;
  return Runtime::create(environment, options).value();
}

RegistryOptions registry_options() {
  RegistryOptions options;
  options.variables = Environment::from_process().variables;
  return options;
}

double cutedsl_hit() {
  FakeCuda::load().set_recording(false);
  const Scratch scratch;
  RegistryOptions options = registry_options();
  {
    const auto writer = runtime_with(scratch / "cache", options);
    for (int i = 0; i <= kRounds; ++i) build(*writer, cutedsl_add_program(i), kHitOptions).value();
  }
  options.variables["KMUX_CUTEDSL_PYTHON"] = scratch / "none";
  const auto reader = runtime_with(scratch / "cache", options);
  const auto load = [&](int number) {
    const Program program = cutedsl_add_program(number);
    return milliseconds_of([&] { compile(*reader, program, kHitOptions).value(); });
  };
  load(kRounds);  // opens the plugin
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(load(i));
  return median(std::move(times));
}

std::string missing_cute_dsl() {
  const auto runtime = Runtime::create({}, registry_options()).value();
  const auto plugin = runtime->registry().plugin("cutedsl");
  if (!plugin) return plugin.error().message;
  const auto& report = (*plugin)->probe();
  return report ? report->can_build.reason : report.error().message;
}

/// A hit in the cache to a loaded kernel of backend cutedsl, over the fake driver, without Python.
BAR("cutedsl_hit", "ms", at_most(1), cutedsl_hit, {.missing = missing_cute_dsl});

}  // namespace
}  // namespace kmux::bench
