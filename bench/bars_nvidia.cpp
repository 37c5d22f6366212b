// The figures of group `nvidia`: a line each, "bar NAME VALUE UNIT". Both sides of a figure run in turns; medians count.
// With a device all but those over a fake driver are measured, without one only what needs none; what is left out is named.
//
// bars_nvidia [--root SOURCES] [--headers FOLDER...] [BAR...]; with --first-call or --once it is a child of its own.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "bar_program.h"
#include "fake_cuda.h"
#include "nvidia/call_bars.h"
#include "nvidia/compile_bars.h"
#include "nvidia/copy_bars.h"
#include "nvidia/eviction.h"
#include "nvidia/gemm_bar.h"
#include "nvidia/places.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

double fake_call_ns() {
  FakeCuda::load().set_recording(false);
  return call_ns();
}

// What of a call's own time is due to cold caches: the fake driver evicts them as a real one does.
template <double (*kMeasure)()>
double over_evicting_driver() {
  FakeCuda fake = FakeCuda::load();
  fake.set_recording(false);
  fake.set_launch_work(evict);
  return kMeasure();
}

std::string needs_device() { return RawCuda::has_device() ? "" : "no device"; }
std::string needs_no_driver() { return RawCuda::has_device() ? "a real driver is here" : ""; }
std::string needs_headers() {
  const auto has = [](const std::filesystem::path& folder) { return std::filesystem::exists(folder / "tl_templates"); };
  return std::ranges::any_of(places().headers, has) ? "" : "no headers of TileLang (--headers, or kmux.sh test)";
}

constexpr int kProcesses = 9;

// Those over the fake driver come first: what is said of a driver that is not there is remembered.
const std::array<Bar, 18> kBars = {{
    {"fake_call_ns", fake_call_ns, "ns", needs_no_driver},
    {"nvrtc_call_over_evicting", over_evicting_driver<nvrtc_call_over_raw>, "ns", needs_no_driver},
    {"cuda_call_over_evicting", over_evicting_driver<cuda_call_over_raw>, "ns", needs_no_driver},
    {"tma3_over_evicting", over_evicting_driver<tma3_unchanged_over_raw>, "ns", needs_no_driver},
    {"nvrtc_compile_ratio_small", nvrtc_compile_ratio_small, "ratio"},
    {"nvrtc_compile_ratio_gemm", nvrtc_compile_ratio_gemm, "ratio", needs_headers},
    {"nvrtc_call_over_raw", nvrtc_call_over_raw, "ns", needs_device, kProcesses},
    {"cuda_call_over_raw", cuda_call_over_raw, "ns", needs_device, kProcesses},
    {"tma3_unchanged_over_raw", tma3_unchanged_over_raw, "ns", needs_device, kProcesses},
    {"nvrtc_call_ratio", nvrtc_call_ratio, "ratio", needs_device, kProcesses},
    {"cuda_call_ratio", cuda_call_ratio, "ratio", needs_device, kProcesses},
    {"tma3_unchanged_ratio", tma3_unchanged_ratio, "ratio", needs_device, kProcesses},
    {"l2_window_ratio", l2_window_ratio, "ratio", needs_device},
    {"graph2_end_to_end_ratio", graph2_end_to_end_ratio, "ratio", needs_device},
    {"graph2_host_ratio", graph2_host_ratio, "ratio", needs_device},
    {"gemm_ratio", gemm_ratio, "ratio", needs_device},
    {"pinned_copy_ratio", pinned_copy_ratio, "ratio", needs_device},
    {"process_start_ratio", process_start_ratio, "ratio", needs_device},
}};

// The names of bars among `words`; the rest goes to `places`.
std::vector<std::string> parse(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--root" && i + 1 < words.size()) {
      places().root = words[++i];
    } else if (words[i] == "--headers" && i + 1 < words.size()) {
      places().headers.push_back(words[++i]);
    } else {
      names.push_back(words[i]);
    }
  }
  return names;
}

int main(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "--first-call") return first_call();
  std::vector<std::string> names = parse(words);  // which says where the root is
  return measure_bars("bars_nvidia", kBars, std::move(names), {"--root", places().root.string()});
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_nvidia", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
