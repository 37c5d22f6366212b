#include <algorithm>
#include <chrono>
#include <filesystem>

#include "kmux/bench/bench.h"
#include "kmux/bench/report_file.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "bars/bar.h"

namespace kmux::bench {
namespace {

constexpr double kKib = 1024;

double page_bytes() {
  const Program program = load_program(KMUX_BENCH_PROGRAMS "/scale/scale.kmux.json").value();
  BenchOptions options{.backends = {"cpu", "cpu:engine=host"}, .axes = {{"n", {1024, 4096, 16384, 65536}}}};
  options.stop.time = std::chrono::milliseconds(50);
  const auto runtime = Runtime::default_runtime().value();
  return static_cast<double>(html_of(bench(*runtime, {&program, 1}, options).value()).size());
}

double report_kib() {
  double largest = page_bytes();
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(KMUX_BENCH_REPORTS, none)) {
    if (file.path().extension() == ".html") largest = std::max(largest, static_cast<double>(file.file_size()));
  }
  return largest / kKib;
}

/// The larger of a page of kmux bench over one axis and of the page in docs/reports.
BAR("report_kib", "KiB", at_most(500), report_kib);

}  // namespace
}  // namespace kmux::bench
