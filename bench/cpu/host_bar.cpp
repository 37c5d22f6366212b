#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/bench/call_arguments.h"
#include "kmux/compile.h"
#include "kmux/program.h"

#include "bars/bar.h"
#include "cuda_kernel.h"
#include "turns.h"

namespace kmux::bench::spmd {
namespace {

bool is_for_host(const Program& program) {
  return std::ranges::any_of(program.variants, [](const Variant& variant) { return variant.dialect == "c"; });
}

std::vector<Program> programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KMUX_BENCH_TILELANG)) {
    if (entry.path().string().ends_with(".kmux.json")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Program> found;
  for (const auto& path : paths) {
    Program program = load_program(path).value();
    if (is_for_host(program)) found.push_back(std::move(program));
  }
  return found;
}

double speed_ratio(const Program& program) {
  Binding binding(program);
  Inputs inputs = Inputs::parse(program, {"*=random:1"}).value();
  inputs.load(binding).value();
  const CallArguments arguments = CallArguments::make(program, inputs, binding, Device{}).value();
  const auto launch = [&](const char* engine) {
    CompileOptions options = cpu_options({{"tier", "full"}, {"engine", engine}});
    options.include_dirs = {KMUX_BENCH_HEADERS};
    return [&arguments, kernel = compile(program, options).value()] { kernel.launch(arguments.args()).value(); };
  };
  const std::vector<Times> times = time_in_turns({launch("clang"), launch("host")});
  const double ratio = times[1].best / times[0].best;
  std::fprintf(stderr, "  %-32s clang %.3f us, host %.3f us: %.3f\n", program.name.c_str(), times[0].best * 1e6,
               times[1].best * 1e6, ratio);
  return ratio;
}

std::string missing_headers() {
  const bool has = std::filesystem::exists(std::filesystem::path(KMUX_BENCH_HEADERS) / "tl_templates");
  return has ? "" : "no headers of TileLang (kmux.sh test)";
}

double cpu_vs_host_worst() {
  const Processors one(1);
  double least = 0;
  for (const Program& program : programs()) {
    const double ratio = speed_ratio(program);
    least = least == 0 ? ratio : std::min(least, ratio);
  }
  return least;
}

/// Programs of dialect c, tier full: the speed of engine clang over engine host, the least.
BAR("cpu_vs_host_worst", "ratio", at_least(0.95), cpu_vs_host_worst, {.missing = missing_headers});

}  // namespace
}  // namespace kmux::bench::spmd
