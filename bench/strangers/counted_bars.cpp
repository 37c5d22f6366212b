#include <string>
#include <utility>
#include <vector>

#include "bars/bar.h"
#include "counted.h"

namespace kmux::bench::strangers {
namespace {

const std::string kTests = KMUX_BENCH_ROOT "/tests/strangers/";

double counted(const std::string& label, std::vector<std::string> words) {
  return bench::counted(label, std::move(words), {{"KMUX_ARITHMETIC", "all"}});  // every setting, for fast_math_wrong
}

double counted_by_script(const std::string& label, const std::string& script, std::vector<std::string> words) {
  words.insert(words.begin(), {KMUX_BENCH_PYTHON3, "-B", kTests + script});
  return counted(label, std::move(words));
}

double values_wrong(std::vector<std::string> words) {
  words.insert(words.begin(), {"--kmux", KMUX_BENCH_KMUX});
  return counted_by_script("values_wrong", "values/run_values.py", std::move(words));
}

double kernel_name_forms_failed() {
  return counted("kernel_name_forms_failed", {KMUX_BENCH_TESTS "/kernel_name_forms"});
}

double nvrtc_headers_failed() {
  return counted_by_script("nvrtc_headers_failed", "nvrtc_headers.py", {KMUX_BENCH_KMUX});
}

double fast_math_wrong() {
  return counted("fast_math_wrong", {KMUX_BENCH_TESTS "/kmux_cpu_test", "--file=fast_math_test.cpp"});
}

double shared_cases_failed() {
  return values_wrong({"-o", "tier=fast"}) + values_wrong({"-o", "tier=full"}) + values_wrong({"--check"}) +
         counted_by_script("strangers_on_cpu_failed", "run_sources.py", {KMUX_BENCH_KMUX});
}

/// Programs of tests/strangers/values, in each tier and checked, and sources that fail on backend cpu.
BAR("shared_cases_failed", "cases", at_most(0), shared_cases_failed);

/// Forms of kernel names that fail, in process and exported, with each backend that can build here.
BAR("kernel_name_forms_failed", "forms", at_most(0), kernel_name_forms_failed);

/// Headers of C, C++ and CUDA with which a kernel does not compile through NVRTC.
BAR("nvrtc_headers_failed", "headers", at_most(0), nvrtc_headers_failed);

/// Functions with a wrong value on backend cpu under one of the settings that change arithmetic.
BAR("fast_math_wrong", "functions", at_most(0), fast_math_wrong);

}  // namespace
}  // namespace kmux::bench::strangers
