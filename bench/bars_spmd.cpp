// The figures of group `spmd`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; "--verbose" tells the
// speeds behind them on stderr. "--march x86-64-v3" is what AVX2 alone gives, on both sides. "--kernels N" and "--seed N" say
// which random kernels run, "--other nvrtc" on which backend as well.
#include <string>
#include <vector>

#include "bar_program.h"
#include "spmd/generator_bar.h"
#include "spmd/host_bar.h"
#include "spmd/launch_bars.h"
#include "spmd/opencl.h"
#include "spmd/pocl_bars.h"
#include "spmd/ratio_bars.h"
#include "spmd/settings.h"

namespace kmux::bench::spmd {
namespace {

constexpr int kProcesses = 5;

const std::vector<Bar> kBars = {
    {"stream_ratio", stream_ratio, "ratio"},
    {"stencil_ratio", stencil_ratio, "ratio"},
    {"tree_reduction_ratio", tree_reduction_ratio, "ratio"},
    {"tiled_matmul_ratio", tiled_matmul_ratio, "ratio"},
    {"tiled_matmul_packed_ratio", tiled_matmul_packed_ratio, "ratio"},
    {"naive_matmul_ratio", naive_matmul_ratio, "ratio"},
    {"divergent_ratio", divergent_ratio, "ratio"},
    {"transcendental_ratio", transcendental_ratio, "ratio"},
    {"two_threads_ratio", two_threads_ratio, "ratio", missing_processors},
    {"pocl_geomean", pocl_geomean, "ratio", missing_pocl},
    {"compile_vs_pocl", compile_vs_pocl, "ratio", missing_pocl},
    {"one_block_launch_ns", one_block_launch_ns, "ns", nothing, kProcesses},
    {"cpu_vs_host_worst", cpu_vs_host_worst, "ratio", missing_headers},
    {"generator_wrong", generator_wrong, "kernels"},
};

int main(std::vector<std::string> words) {
  settings().take_from(words);
  if (words.size() == 3 && words[0] == kSecondsWord) return print_seconds(words[1], words[2]);
  return measure_bars("bars_spmd", kBars, std::move(words), settings().words());
}

}  // namespace
}  // namespace kmux::bench::spmd

int main(int argc, char** argv) {
  return kmux::bench::told("bars_spmd", [&] { return kmux::bench::spmd::main({argv + 1, argv + argc}); });
}
