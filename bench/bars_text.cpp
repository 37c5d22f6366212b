// The figures of group `text`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named. Those of Python are measured by text/python_bars.py.
//
// bars_text [BAR...]
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/program.h"
#include "kmux/text.h"

#include "bar_program.h"
#include "python_bar.h"
#include "timing.h"
#include "unit/random_program.h"

namespace kmux::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 1000;
constexpr std::uint32_t kPrograms = 10'000;
constexpr double kMicroseconds = 1000;  // of a millisecond

/// The program of tests/data whose text is longest.
Program largest_program() {
  Program largest;
  std::size_t most = 0;
  for (const auto& entry : fs::recursive_directory_iterator(KMUX_TEST_DATA_DIR)) {
    if (!entry.path().string().ends_with(".kmux.json")) continue;
    Program program = load_program(entry.path()).value();
    const std::size_t size = to_text(program).size();
    if (size <= most) continue;
    most = size;
    largest = std::move(program);
  }
  std::fprintf(stderr, "the largest program of tests/data is %s: %zu bytes of text\n", largest.name.c_str(), most);
  return largest;
}

/// From its text to a valid program; its files are in memory.
double parse_us() {
  const Program program = largest_program();
  const std::string text = to_text(program);
  const FileReader files = files_of(program);
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    times.push_back(milliseconds_of([&] { from_text({"largest.kmux", text}, files).value(); }) * kMicroseconds);
  }
  return median(std::move(times));
}

/// JSON -> text -> JSON and text -> JSON -> text.
bool survives(const Program& program) {
  const FileReader files = files_of(program);
  const std::string text = to_text(program), json = to_json(program);
  const Result<Program> read = from_text({"random.kmux", text}, files);
  if (!read || *read != program || to_json(*read) != json) return false;
  const Result<Program> again = from_json(to_json(*read), files);
  return again && to_text(*again) == text;
}

double roundtrip_failures() {
  int failed = 0;
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    if (survives(random_program(seed))) continue;
    std::fprintf(stderr, "the program of seed %u does not survive\n", seed);
    ++failed;
  }
  return failed;
}

const std::array<Bar, 5> kBars = {{
    {"parse_us", parse_us, "us"},
    {"roundtrip_failures", roundtrip_failures, "programs"},
    python_bar<"import_ms">("ms"),
    python_bar<"kernel_first_call_ms">("ms"),
    python_bar<"python_call_over_ctypes">("ratio"),
}};

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  using namespace kmux::bench;
  return told("bars_text", [&] { return measure_bars("bars_text", kBars, {argv + 1, argv + argc}); });
}
