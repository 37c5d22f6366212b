// Both sides of a ratio run alternately; each ratio is of medians.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "kmux/environment.h"
#include "kmux/registry.h"

#include "cold_rounds.h"

namespace kmux::bench {
namespace {

std::vector<std::string> clang() { return {"clang-19", "-O3"}; }
std::vector<std::string> gxx() { return {"g++", "-O3"}; }

double reference_ms(const std::vector<std::string>& compiler, const std::filesystem::path& folder,
                    const Program& program, const std::string& launcher) {
  const ReferenceBuild reference(compiler, folder, program, launcher);
  return milliseconds_of([&] { reference.run(); });
}

double cold_small() {
  const Scratch scratch;
  const auto runtime = runtime_with_cache(scratch / "cache");
  compiled(*runtime, small_program(-1), in_tier("fast"));
  const std::string launcher = launcher_of(*runtime, small_program(0));
  return ratio_of_rounds(
      [&](int round) {
        const Program program = small_program(round);
        return milliseconds_of([&] { compiled(*runtime, program, in_tier("fast")); });
      },
      [&](int round) { return reference_ms(clang(), scratch / "reference", small_program(round), launcher); });
}

// Prints milliseconds of the first compilation of a process, including runtime and plugin.
int print_first(const std::vector<std::string>& words) {
  const Program program = small_program(std::stoi(words.at(0)));
  const double milliseconds = milliseconds_of([&] {
    const auto runtime = Runtime::create({}, {}).value();
    compiled(*runtime, program, in_tier("fast"));
  });
  return std::printf("%f\n", milliseconds), 0;
}

double cold_first() {
  const Scratch scratch;
  const std::string launcher = launcher_of(*runtime_with_cache(scratch / "cache"), small_program(0));
  return ratio_of_rounds(
      [](int round) { return std::stod(child_output("first_compilation", {std::to_string(round)})); },
      [&](int round) { return reference_ms(clang(), scratch / "reference", small_program(round), launcher); });
}

double cold_gemm_fast() {
  const Scratch scratch;
  const auto runtime = runtime_with_cache(scratch / "cache");
  for (int i = 1; i <= 3; ++i) {  // a first kernel may prepare later ones in the background
    compiled(*runtime, gemm_program(-i), in_tier("fast"));
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  const std::string launcher = launcher_of(*runtime, gemm_program(0));
  return ratio_of_rounds(
      [&](int round) {
        const Program program = gemm_program(round);
        return milliseconds_of([&] { compiled(*runtime, program, in_tier("fast")); });
      },
      [&](int round) { return reference_ms(gxx(), scratch / "reference", gemm_program(round), launcher); });
}

CHILD("first_compilation", print_first);

/// Four lines of C, tier fast, in a warm process / clang-19 -O3 -shared and dlopen.
BAR("cold_small", "ratio", at_most(0.15), cold_small);

/// The same as the first thing that a process does, plugin and compiler opened / the same.
BAR("cold_first", "ratio", at_most(0.35), cold_first);

/// 160 lines of C++, tier fast, its includes compiled in advance / g++ -O3 -shared and dlopen.
BAR("cold_gemm_fast", "ratio", at_most(0.4), cold_gemm_fast);

}  // namespace
}  // namespace kmux::bench
