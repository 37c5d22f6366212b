#include "backend.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <unistd.h>

#include "kmux/plugin/option_readers.h"
#include "kmux/plugin/support.h"

#include "adapter.h"
#include "device.h"
#include "simt/check/findings.h"
#include "simt/frontend/installation.h"
#include "simt/loader/code_symbols.h"
#include "simt/runtime/interruption.h"
#include "simt/runtime/pool.h"
#include "simt/units/tensor_map.h"

namespace kmux::cpu {
namespace {

constexpr NumberRange kThreads = {1, 512};

std::atomic<int> uses{0};

// Returns the tensor maps that no copy can use.
std::vector<MissingFeature> uncopied_maps(const BuildRequest& request) {
  std::vector<MissingFeature> missing;
  const std::vector<TensorMap>& maps = request.chosen().body.tensor_maps;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const char* const what =
        simt::unsupported_map(static_cast<unsigned>(maps[i].dtype), static_cast<unsigned>(maps[i].interleave),
                              static_cast<unsigned>(maps[i].swizzle));
    if (what == nullptr) continue;
    missing.push_back({"tensor_map", path_in_variant(request, "body/tensor_maps/" + std::to_string(i)),
                       "backend cpu has no copies by tensor maps with " + std::string(what)});
  }
  return missing;
}

}  // namespace

Status take_symbols_option(const Host& host) {
  const std::optional<std::string> text = host.option("cpu.code_symbols");
  bool shows = false;
  if (text) KMUX_TRY(on_or_off(shows)({"cpu", "code_symbols", *text}));
  simt::show_code(shows);
  return Ok{};
}

Status take_threads_option(const Host& host) {
  const std::optional<std::string> text = host.option("cpu.threads");
  if (!text) return Ok{};
  KMUX_ASSIGN(const int threads, read_number({"cpu", "threads", *text}, kThreads));
  simt::pool().limit(static_cast<unsigned>(threads));
  return Ok{};
}

PoolUse::PoolUse(const Host& host) {
  uses.fetch_add(1);
  simt::add_note_sink(this, [host](const std::string& text) { host.log(Host::Level::kWarning, text); });
  if (const Host::Threads threads = host.threads(); threads.run != nullptr)
    simt::pool().lend(threads.run, threads.self);
  if (const Host::Interruption interruption = host.interruption(); interruption.is_requested != nullptr)
    simt::set_interrupted(interruption.is_requested, interruption.self);
}

PoolUse::~PoolUse() {
  simt::remove_note_sink(this);
  if (uses.fetch_sub(1) != 1) return;
  simt::set_interrupted(nullptr, nullptr);
  simt::pool().lend(nullptr, nullptr);
  simt::pool().stop();
}

const PluginInfo CpuBackend::kInfo{"cpu", KMUX_PLUGIN_VERSION, kDLCPU};

const std::vector<std::string>& CpuBackend::features() {
  static const std::vector<std::string> features = {
      "cluster",
      "constants",
      "cooperative",
      "dynamic_smem",
      "fill",
      "grid",
      "guard",
      "l2_window",
      "loop",
      "programmatic_serialization",
      "several_launches",
      "struct_argument",
      "tensor_map.im2col",
      "tensor_map.tiled",
      "workspace"};  // windows are hints, and a launch may begin early, but need not
  return features;
}

Result<std::unique_ptr<Backend>> CpuBackend::create(Host host) {
  KMUX_TRY(take_symbols_option(host));
  KMUX_TRY(take_threads_option(host));
  KMUX_TRY(flush_mib_option(host));
  return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(host));
}

// Does not check for Clang's headers: a source without #include needs none. A compiler of which only the build ID is
// installed has filled the cache. It is missing only when something else must be built.
Result<ProbeReport> CpuBackend::probe() {
  ProbeReport report;
  for (const std::string& library : simt::compiler_libraries()) {
    if (access(library.c_str(), R_OK) == 0 || access(simt::id_file_of(library).c_str(), R_OK) == 0) continue;
    report.can_build = {"no_toolchain", "\"" + library + "\" is not there. Install kmux again."};
  }
  return report;
}

Result<Target> CpuBackend::resolve_target(std::string_view request, std::optional<int> device) {
  if (device) KMUX_TRY(check_device(*device));
  return resolve_cpu_target(request);
}

Result<std::vector<MissingFeature>> CpuBackend::supports(const BuildRequest& request) {
  const Target& target = request.target;
  const bool is_device = is_device_dialect(request.chosen().dialect);  // these name architectures of GPUs
  auto missing = missing_of({.backend = "cpu",
                             .dialects = {"c", "object", "cuda", "hip"},
                             .features = features(),
                             .has_arch = [&](const std::string& arch) { return is_device || satisfies(target, arch); },
                             .has_feature = [&](const std::string& feature) { return has_feature(target, feature); }},
                            request);
  const Result<BuildOptions> options = parse_options(request.options, host_);  // the build reports errors in them
  const bool is_checked = options && options->check.memory;
  if (is_checked && !is_device) {
    missing.push_back({"dialect", path_in_variant(request, "dialect"),
                       "option check=on is for kernels of dialect cuda, one thread of a GPU each"});
  }
  if (!is_device && !request.program.constants.empty()) {
    missing.push_back({"constants", "/constants/0", "backend cpu has constants in dialects cuda and hip alone"});
  }
  std::ranges::move(uncopied_maps(request), std::back_inserter(missing));
  return missing;
}

Result<std::unique_ptr<Adapter>> CpuBackend::load(const Artifact& artifact, int device) {
  KMUX_TRY(check_device(device));
  return load_artifact(artifact);
}

}  // namespace kmux::cpu

KMUX_PLUGIN(kmux::cpu::CpuBackend)
