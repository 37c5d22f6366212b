#include "backend.h"

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/plan.h"

#include "nvcc.h"
#include "nvidia/library/adapter.h"
#include "nvidia/library/launcher_text.h"
#include "nvidia/options.h"
#include "nvidia/target.h"

namespace kmux::cuda {
namespace {

Availability probe_toolchain(const Host& host) {
  if (const auto nvcc = find_nvcc(host); !nvcc) return nvidia::no_toolchain(nvcc.error());
  const auto options = nvidia::parse_options({}, host, "cuda");
  if (!options) return nvidia::no_toolchain(options.error());
  const auto compiler = find_host_compiler(options->host_compiler, "backend cuda");
  return compiler ? Availability{} : nvidia::no_toolchain(compiler.error());
}

}  // namespace

const PluginInfo CudaBackend::kInfo{"cuda", KMUX_PLUGIN_VERSION, kDLCUDA};

Result<ProbeReport> CudaBackend::probe() { return ProbeReport{probe_toolchain(host_), nvidia::probe_driver()}; }

Result<Target> CudaBackend::resolve_target(std::string_view request, std::optional<int> device) {
  const auto release = [&]() -> std::optional<nvidia::Release> {
    const auto nvcc = find_nvcc(host_);
    return nvcc ? release_of(*nvcc) : std::nullopt;
  };
  return nvidia::resolve_cuda_target(
      request, kInfo.name, [&] { return nvidia::device_arch(device.value_or(0)); }, release);
}

Result<std::vector<MissingFeature>> CudaBackend::supports(const BuildRequest& request) {
  return nvidia::missing_support(request, kInfo.name);
}

Result<std::unique_ptr<Adapter>> CudaBackend::load(const Artifact& artifact, int) {
  return nvidia::LibraryAdapter::load(artifact, host_, kInfo.name);
}

Result<Artifact> CudaBackend::standalone(const BuildRequest& request, const Artifact& built) {
  KMUX_ASSIGN(const Plan plan, lower(request.program, request.variant));
  return nvidia::standalone_parts(plan, built, kInfo.name);
}

}  // namespace kmux::cuda

KMUX_PLUGIN(kmux::cuda::CudaBackend)
