// The figures of group `strangers`, which is about CUDA that was not written for kmux: a line each, "bar NAME VALUE UNIT". Arguments
// name the bars to measure. bench/strangers/gpu_cases.py prints those of a GPU.
#include <cstdlib>
#include <vector>

#include "bar_program.h"
#include "strangers/bars.h"
#include "strangers/counted_bars.h"

namespace kmux::bench::strangers {
namespace {

const std::vector<Bar> kBars = {
    {"shared_cases_failed", shared_cases_failed, "cases"},
    {"kernel_name_forms_failed", kernel_name_forms_failed, "forms"},
    {"nvrtc_headers_failed", nvrtc_headers_failed, "headers"},
    {"fast_math_wrong", fast_math_wrong, "functions"},
    {"stranger_speed_worst", speed_worst, "ratio"},
    {"stranger_compile_s", compile_worst, "s"},
};

}  // namespace
}  // namespace kmux::bench::strangers

int main(int argc, char** argv) {
  using namespace kmux::bench;
  setenv("KMUX_OPTION_CPU_THREADS", "1", 1);  // what is compared is one thread
  return told("bars_strangers",
              [&] { return measure_bars("bars_strangers", strangers::kBars, {argv + 1, argv + argc}); });
}
