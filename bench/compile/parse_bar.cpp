#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "kmux/dispatch_json.h"
#include "kmux/program.h"
#include "kmux/text.h"

#include "bars/bar.h"
#include "timing.h"
#include "unit/random_program.h"

namespace kmux::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kParses = 1000;
constexpr double kMicroseconds = 1000;  // of a millisecond

/// Returns the program of tests/data with the longest text.
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

/// Measures parsing and validation of a text; its files are in memory.
double parse_us() {
  const Program program = largest_program();
  const std::string text = to_text(program);
  const FileReader files = files_of(program);
  std::vector<double> times;
  for (int i = 0; i < kParses; ++i) {
    times.push_back(milliseconds_of([&] { from_text({"largest.kmux", text}, files).value(); }) * kMicroseconds);
  }
  return median(std::move(times));
}

/// The largest program of tests/data as text, to a validated program.
BAR("parse_us", "us", at_most(300), parse_us);

}  // namespace
}  // namespace kmux::bench
