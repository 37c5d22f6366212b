// lock_lookup PROGRAM: measures the cost of policy pinned, and its dependence on the number of pinned programs. Times
// `resolve` under it, with lock files of 1 and of 100,000 entries, beside `resolve` under policy priority; the least of
// many batches, measured alternately. Prints the total cost with 100,000 entries, and its excess over 1 entry, in
// microseconds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>

#include "kmux/dispatch_json.h"
#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

#include "scratch.h"
#include "timing.h"

namespace kmux::bench {
namespace {

constexpr int kEntries = 100'000;
constexpr int kBatches = 40;
constexpr int kCalls = 100;  // in a batch

std::string entry(const std::string& program, const Candidate& candidate, const std::string& build_id) {
  return R"({"program": ")" + program + R"(", "name": "scale", "target": ")" + candidate.target + R"(", "backend": ")" +
         candidate.backend + R"(", "build_id": ")" + build_id + R"(", "variant": 0})";
}

/// Writes a lock file in which `program` is one of `count` entries, as `kmux tune --lock` writes them except for line
/// breaks.
void write_lock(const std::filesystem::path& file, int count, const std::string& program, const Candidate& candidate,
                const std::string& build_id) {
  std::ofstream out(file);
  out << R"({"kmux_lock": 1, "programs": [)";
  for (int i = 1; i < count; ++i) {
    std::array<char, 65> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x%056d", static_cast<unsigned>(i) * 2654435761U, i);
    out << entry(digits.data(), candidate, build_id) << ",\n";
  }
  out << entry(program, candidate, build_id) << "]}\n";
}

/// Units: microseconds.
double time_of_resolve(Runtime& runtime, const Program& program, const CompileOptions& request) {
  const double batch_ms = milliseconds_of([&] {
    for (int i = 0; i < kCalls; ++i)
      if (resolve(runtime, program, request).chosen() == nullptr) std::exit(1);
  });
  return 1000 * batch_ms / kCalls;
}

struct Times {
  double priority = 1e9, one = 1e9, many = 1e9, digest = 1e9;
};

/// Times the digest by which a program is looked up. Units: microseconds.
double time_of_digest(const Program& program) {
  const double batch_ms = milliseconds_of([&] {
    for (int i = 0; i < kCalls; ++i)
      if (digest(program).empty()) std::exit(1);
  });
  return 1000 * batch_ms / kCalls;
}

Times measured(Runtime& runtime, const Program& program, const Scratch& scratch) {
  const auto pinned = [&](const char* name) {
    return CompileOptions{.policy = Policy::kPinned, .lock_file = (scratch / name).string()};
  };
  Times least;
  for (int i = 0; i < kBatches; ++i) {
    least.priority = std::min(least.priority, time_of_resolve(runtime, program, {.policy = Policy::kPriority}));
    least.one = std::min(least.one, time_of_resolve(runtime, program, pinned("one")));
    least.many = std::min(least.many, time_of_resolve(runtime, program, pinned("many")));
    least.digest = std::min(least.digest, time_of_digest(program));
  }
  return least;
}

/// Units: MiB.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

/// Reports the first resolution, which reads the file.
void tell_of_reading(Runtime& runtime, const Program& program, const std::filesystem::path& file) {
  const long before = peak_memory();
  const double ms =
      milliseconds_of([&] { resolve(runtime, program, {.policy = Policy::kPinned, .lock_file = file.string()}); });
  std::fprintf(stderr, "lock_lookup: %.1f MB are read once, in %.0f ms and %ld MiB\n",
               static_cast<double>(std::filesystem::file_size(file)) / 1e6, ms, peak_memory() - before);
}

}  // namespace
}  // namespace kmux::bench

int main(int, char** words) {
  using namespace kmux;
  const Program program = load_program(words[1]).value();
  const Shared<Runtime> runtime = Runtime::default_runtime().value();
  const Resolution first = resolve(*runtime, program, {.policy = Policy::kPriority});
  const Candidate& chosen = require(first).value();
  std::string build_id;
  for (const PluginEntry& plugin : runtime->registry().entries())
    if (plugin.manifest.name == chosen.backend) build_id = plugin.manifest.build_id;
  const bench::Scratch scratch;
  bench::write_lock(scratch / "one", 1, digest(program), chosen, build_id);
  bench::write_lock(scratch / "many", bench::kEntries, digest(program), chosen, build_id);
  bench::tell_of_reading(*runtime, program, scratch / "many");
  const bench::Times times = bench::measured(*runtime, program, scratch);
  std::fprintf(
      stderr,
      "lock_lookup: resolve takes %.1f us under policy priority, %.1f pinned in 1 entry, %.1f in %d; %.1f of these "
      "are the digest of the program\n",
      times.priority, times.one, times.many, bench::kEntries, times.digest);
  std::printf("%.2f %.2f\n", times.many - times.priority, times.many - times.one);
}
