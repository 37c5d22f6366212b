// The figures of group `hip_metal`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named.
#include <vector>

#include "bar_program.h"
#include "hip_metal/fake_bars.h"
#include "hip_metal/hip_bar.h"

namespace kmux::bench {
namespace {

const std::vector<Bar> kBars = {
    {"fake_hip_over_cpu", fake_hip_over_cpu, "ratio"},
    {"fake_metal_over_cpu", fake_metal_over_cpu, "ratio"},
    {"hip_fake_call_ns", hip_fake_call_ns, "ns"},
    {"hip_on_cuda_over_raw", hip_on_cuda_over_raw, "ns", missing_cuda_device},
    {"metal_mock_call_ns", metal_mock_call_ns, "ns"},
};

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  using kmux::bench::kBars;
  return kmux::bench::measure_bars("bars_hip_metal", kBars, {argv + 1, argv + argc});
}
