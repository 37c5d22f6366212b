// The figures of group `nvidia`: a line each, "bar NAME VALUE UNIT". Both sides of a figure run in turns; medians count.
// With a device all but those over a fake driver are measured, without one only what needs none; what is left out is named.
//
// bars_nvidia [--root SOURCES] [--headers FOLDER...] [BAR...]; with --first-call or --once it is a child of its own.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/process.h"

#include "bar_program.h"
#include "fake_cuda.h"
#include "nvidia/call_bars.h"
#include "nvidia/compile_bars.h"
#include "nvidia/eviction.h"
#include "nvidia/gemm_bar.h"
#include "nvidia/places.h"
#include "nvidia/raw_cuda.h"
#include "timing.h"

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

enum class Needs { kNothing, kHeaders, kDevice, kNoDriver };

struct Bar {
  std::string name;
  double (*measure)();
  const char* unit;
  Needs needs;
  int processes = 1;  // that measure it; their median counts
};

// Where code and data of a process come to lie decides over tens of nanoseconds between the calls of a real driver, and is
// the same for every call of a process: so what is that small is measured in several.
constexpr int kProcesses = 9;
constexpr const char* kOnce = "--once";

// Those over the fake driver come first: what is said of a driver that is not there is remembered.
const std::array<Bar, 14> kBars = {{
    {"fake_call_ns", fake_call_ns, "ns", Needs::kNoDriver},
    {"nvrtc_call_over_evicting", over_evicting_driver<nvrtc_call_over_raw>, "ns", Needs::kNoDriver},
    {"cuda_call_over_evicting", over_evicting_driver<cuda_call_over_raw>, "ns", Needs::kNoDriver},
    {"tma3_over_evicting", over_evicting_driver<tma3_unchanged_over_raw>, "ns", Needs::kNoDriver},
    {"nvrtc_compile_ratio_small", nvrtc_compile_ratio_small, "ratio", Needs::kNothing},
    {"nvrtc_compile_ratio_gemm", nvrtc_compile_ratio_gemm, "ratio", Needs::kHeaders},
    {"nvrtc_call_over_raw", nvrtc_call_over_raw, "ns", Needs::kDevice, kProcesses},
    {"cuda_call_over_raw", cuda_call_over_raw, "ns", Needs::kDevice, kProcesses},
    {"tma3_unchanged_over_raw", tma3_unchanged_over_raw, "ns", Needs::kDevice, kProcesses},
    {"l2_window_ratio", l2_window_ratio, "ratio", Needs::kDevice},
    {"graph2_end_to_end_ratio", graph2_end_to_end_ratio, "ratio", Needs::kDevice},
    {"graph2_host_ratio", graph2_host_ratio, "ratio", Needs::kDevice},
    {"gemm_ratio", gemm_ratio, "ratio", Needs::kDevice},
    {"process_start_ratio", process_start_ratio, "ratio", Needs::kDevice},
}};

bool has_headers() {
  const auto has = [](const std::filesystem::path& folder) { return std::filesystem::exists(folder / "tl_templates"); };
  return std::ranges::any_of(places().headers, has);
}

// Why `bar` cannot be measured here; empty if it can.
std::string missing(const Bar& bar, bool has_device) {
  if (bar.needs == Needs::kHeaders && !has_headers()) return "needs TileLang's headers (--headers, or kmux.sh test)";
  if (bar.needs == Needs::kDevice && !has_device) return "needs a device";
  if (bar.needs == Needs::kNoDriver && has_device) return "needs a machine without NVIDIA's driver";
  return {};
}

double measure_in_a_process(const Bar& bar) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const ProcessResult result = run({.argv = {self, kOnce, "--root", places().root.string(), bar.name}}).value();
  const std::string prefix = "bar " + bar.name + " ";
  if (!result.standard_output.starts_with(prefix)) throw std::runtime_error(result.standard_error);
  return std::stod(result.standard_output.substr(prefix.size()));
}

double median_of_processes(const Bar& bar) {
  std::vector<double> values;
  for (int i = 0; i < bar.processes; ++i) values.push_back(measure_in_a_process(bar));
  const auto [least, most] = std::ranges::minmax(values);
  std::fprintf(stderr, "  %.0f to %.0f %s in %d processes\n", least, most, bar.unit, bar.processes);
  return median(std::move(values));
}

bool measure(const Bar& bar, bool has_device, bool once) {
  if (const std::string reason = missing(bar, has_device); !reason.empty()) {
    std::fprintf(stderr, "skipped %s: it %s\n", bar.name.c_str(), reason.c_str());
    return true;
  }
  const std::string what = "bars_nvidia: " + bar.name;
  const auto value = [&] { return once || bar.processes == 1 ? bar.measure() : median_of_processes(bar); };
  return told(what.c_str(), [&] { return print_bar(bar.name, value(), bar.unit), 0; }) == 0;
}

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
  std::vector<std::string> names = parse(words);
  const bool once = std::erase(names, kOnce) > 0;
  const bool has_device = RawCuda::has_device();
  bool all_ok = true;
  for (const Bar& bar : kBars) {
    if (is_wanted(names, bar.name)) all_ok = measure(bar, has_device, once) && all_ok;
  }
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_nvidia", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
