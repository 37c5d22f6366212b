#include "cold_rounds.h"

#include <cstdio>
#include <stdexcept>

#include "kmux/environment.h"
#include "kmux/plugin/process.h"
#include "kmux/registry.h"

namespace kmux::bench {

Shared<Runtime> runtime_with_cache(const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder;
  environment.cache_lock_dir = folder / "locks";
  return Runtime::create(std::move(environment), {}).value();
}

CompileOptions in_tier(const char* tier, bool use_cache) {
  return {.target = "c", .options = {{"tier", tier}}, .use_cache = use_cache};
}

Kernel compiled(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return compile(runtime, program, options).value();
}

std::string launcher_of(Runtime& runtime, const Program& program) {
  return wrap(runtime, program, {.target = "c"}).value().launcher;
}

double ratio_of_rounds(const std::function<double(int)>& ours, const std::function<double(int)>& theirs) {
  constexpr int kRounds = 21;
  std::vector<double> our_times, their_times;
  for (int round = 0; round < kRounds; ++round) {
    our_times.push_back(ours(round));
    their_times.push_back(theirs(round));
  }
  std::fprintf(stderr, "  %.2f ms against %.2f ms\n", median(our_times), median(their_times));
  return median(our_times) / median(their_times);
}

std::string child_output(const std::string& name, const std::vector<std::string>& words) {
  const ProcessResult result = run({.argv = child_command(name, words)}).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  return result.standard_output;
}

}  // namespace kmux::bench
