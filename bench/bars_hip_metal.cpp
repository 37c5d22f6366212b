// The figures of group `hip_metal`: a line each, "bar NAME VALUE UNIT". Arguments name the bars to measure; what cannot be
// measured here is named.
#include <cstdio>
#include <string>
#include <vector>

#include "bar_program.h"
#include "hip_metal/hip_bar.h"
#include "hip_metal/metal_bar.h"

namespace kmux::bench {
namespace {

std::string nothing() { return {}; }

struct Bar {
  std::string name;
  double (*measure)();
  const char* unit;
  std::string (*missing)() = nothing;  // why it cannot be measured here; empty if it can
};

const std::vector<Bar> kBars = {
    {"hip_fake_call_ns", hip_fake_call_ns, "ns"},
    {"hip_on_cuda_over_raw", hip_on_cuda_over_raw, "ns", missing_cuda_device},
    {"metal_mock_call_ns", metal_mock_call_ns, "ns"},
};

bool measure(const Bar& bar) {
  if (const std::string reason = bar.missing(); !reason.empty()) {
    std::fprintf(stderr, "skipped %s: %s\n", bar.name.c_str(), reason.c_str());
    return true;
  }
  const std::string what = "bars_hip_metal: " + bar.name;
  return told(what.c_str(), [&] { return print_bar(bar.name, bar.measure(), bar.unit), 0; }) == 0;
}

int main(const std::vector<std::string>& names) {
  bool all_ok = true;
  for (const Bar& bar : kBars) {
    if (is_wanted(names, bar.name)) all_ok = measure(bar) && all_ok;
  }
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_hip_metal", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
