#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/launch_check.h"
#include "kmux/plugin/plugin.hpp"

#include "meta.h"
#include "simt/analysis/block_shape.h"

namespace kmux::cpu {

/// The launcher's symbol.
inline constexpr const char* kEntry = "kmux_cpu_launch";

/// Prints the body of a variant as a C++ function that calls the kernels.
///
/// A kernel is called as `extern "C" void kernel(void*, float, long long, ...)`: addresses as void*, scalars and
/// expressions by their C type, types that C lacks (float16, float8) as the unsigned integer of their width.
class CpuWrapper final : public Wrapper {
 public:
  explicit CpuWrapper(Host host) : host_(host) {}

  /// Errors: invalid_argument for an unknown option, or two launches of a kernel that differ in their types.
  Result<std::string> wrap(const BuildRequest& request) override;

 private:
  Host host_;
};

/// Returns true if sources of `dialect` are written for one thread of a GPU.
inline bool is_device_dialect(std::string_view dialect) { return dialect == "cuda" || dialect == "hip"; }

/// Returns the kernels that the body of a device dialect launches, with their block extents. An extent is 0 if it is
/// not constant, or differs between launches.
Result<simt::BlockExtents> launched_blocks(const BuildRequest& request);

/// The kernels that a body launches, each once, and the arguments passed to each.
struct LaunchedKernels {
  std::vector<std::string> names;
  std::vector<std::vector<KernelArgument>> passed;  // by the first launch: others pass the same types
};
Result<LaunchedKernels> launched_kernels(const BuildRequest& request);

/// Returns the parts of a library that runs relocatable code without kmux (kmux::Backend::standalone). `artifact` must
/// have that code as part "code", beside any ready objects. `kernels_may_throw` must be true unless all kernels are C.
Artifact standalone_parts(const Artifact& artifact, const Meta& meta, bool kernels_may_throw);

}  // namespace kmux::cpu
