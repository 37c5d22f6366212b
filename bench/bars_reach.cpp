// The figures of group `reach`: a line each, "bar NAME VALUE UNIT".
//
// bars_reach [BAR...]      What cannot be measured here is named.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/compile.h"
#include "kmux/plugin/process.h"
#include "kmux/tensor.h"

#include "bar_program.h"
#include "fake_cuda.h"
#include "nvidia/call_programs.h"
#include "programs/hip_texts.h"

namespace kmux::bench {
namespace {

constexpr std::int64_t kLength = 256;

// What the kernel of `add_program` does.
void add(const fake_cuda::KernelRun& run) {
  const auto vector = [&](int index) { return *static_cast<float**>(run.args[index]); };
  for (int i = 0; i < *static_cast<int*>(run.args[3]); ++i) vector(2)[i] = vector(0)[i] + vector(1)[i];
}

// A tensor of the device with `value` in each place.
Tensor filled(const Kernel& kernel, float value) {
  Tensor tensor = Tensor::empty({kLength}, dtype::kFloat32, kernel.device()).value();
  std::fill_n(static_cast<float*>(tensor.data()), kLength, value);  // memory of the fake is the host's
  return tensor;
}

// Does a kernel run on a device that NVRTC is too old for, and does the resolution say how?
double ptx_fallback_runs() {
  FakeCuda fake = FakeCuda::load();
  fake.set_devices({{.name = "Fake B200", .major = 10, .minor = 0}});
  fake.on_launch(add);
  const Kernel kernel = compile(add_program(), {.execution_backend = "nvrtc"}).value();
  const bool is_told = kernel.resolution().explain().find("cuda:sm_100a,code=compute_90") != std::string::npos;
  Tensor c = filled(kernel, 0);
  kernel.launch({filled(kernel, 1), filled(kernel, 2), c}).value();
  return is_told && static_cast<float*>(c.data())[kLength - 1] == 3 ? 1 : 0;
}

// All of them, or it fails.
double hip_texts_compiled_by_real_hiprtc() {
  const HipTexts found = compile_hip_texts(kRealHip).value();
  for (const auto* lines : {&found.refused, &found.failed}) {
    if (!lines->empty()) throw std::runtime_error(lines->front());
  }
  return static_cast<double>(found.by_hiprtc);
}

std::string missing_real_hip() { return missing_hip(kRealHip); }

// ctest's last line but those about time: "97% tests passed, 3 tests failed out of 100".
double failed_in(const std::string& report) {
  constexpr std::string_view kPassed = "tests passed, ";
  const std::size_t at = report.rfind(kPassed);
  if (at == std::string::npos) throw std::runtime_error("ctest ran no test:\n" + report);
  return std::stod(report.substr(at + kPassed.size()));
}

// Of the whole suite in a build with KMUX_PORTABLE.
double portable_tests_failed() {
  Command command{.argv = {"ctest", "--test-dir", KMUX_PORTABLE_BUILD, "--timeout", "600"}};
  command.environment = {{"KMUX_NVRTC_LIBRARY", ""}, {"KMUX_DISABLE_CACHE", ""}};  // which are for the other bars
  const ProcessResult suite = run(command).value();
  const double failed = failed_in(suite.standard_output);
  if (failed > 0) std::fputs(suite.standard_output.c_str(), stderr);
  return failed;
}

std::string missing_portable_build() {
  if (std::filesystem::exists(KMUX_PORTABLE_BUILD "/tests/portable_tests")) return "";
  return "no build in " KMUX_PORTABLE_BUILD " (cmake --preset portable && cmake --build --preset portable)";
}

// What ./kmux.sh builds and runs under QEMU, by its last line.
double aarch64_tests_failed() {
  Command command{.argv = {"./kmux.sh", "test", "--arch", "arm64"}, .working_directory = KMUX_BENCH_ROOT};
  command.environment = {{"KMUX_NVRTC_LIBRARY", ""}, {"KMUX_DISABLE_CACHE", ""}, {"KMUX_BUILD", ""}};
  const ProcessResult tests = run(command).value();
  constexpr std::string_view kBar = "bar aarch64_tests_failed ";
  const std::size_t at = tests.standard_output.rfind(kBar);
  if (at == std::string::npos)
    throw std::runtime_error("./kmux.sh test --arch arm64 ran no test:\n" + tests.standard_error);
  const double failed = std::stod(tests.standard_output.substr(at + kBar.size()));
  if (failed > 0) std::fputs(tests.standard_output.c_str(), stderr);
  return failed;
}

std::string missing_arm64_build() {
  if (std::filesystem::exists(KMUX_BENCH_ROOT "/build/arm64/tests/unit_tests")) return "";
  return "no build in build/arm64 (./kmux.sh test --arch arm64)";
}

const std::array<Bar, 4> kBars = {{
    {"ptx_fallback_runs", ptx_fallback_runs, "of 1"},
    {"hip_texts_compiled_by_real_hiprtc", hip_texts_compiled_by_real_hiprtc, "texts", missing_real_hip},
    {"portable_tests_failed", portable_tests_failed, "tests", missing_portable_build},
    {"aarch64_tests_failed", aarch64_tests_failed, "tests", missing_arm64_build},
}};

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  using namespace kmux::bench;
  setenv("KMUX_NVRTC_LIBRARY", KMUX_OLD_NVRTC, /*overwrite=*/1);
  setenv("KMUX_DISABLE_CACHE", "1", /*overwrite=*/1);
  return told("bars_reach", [&] { return measure_bars("bars_reach", kBars, {argv + 1, argv + argc}); });
}
