#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/headers.h"
#include "kmux/plugin/plugin.hpp"

#include "device_headers.h"
#include "nvidia/options.h"
#include "precompiled_headers.h"

namespace kmux::nvrtc {

/// Compiles CUDA C++ with NVRTC in this process, and accepts ready cubin and PTX.
class NvrtcBuilder final : public Builder {
 public:
  explicit NvrtcBuilder(Host host) : host_(host) {}

  /// Returns the identity of NVRTC's file, the folders of the toolkit's headers and, with option lto, of the linker.
  Result<std::string> toolchain(const Target& target, const Options& options) override;

  /// Builds the artifact of a variant.
  ///
  /// Errors: compile_failed with NVRTC's log, or for a kernel that the code lacks; invalid_argument for invalid
  ///         options, and for ready code of another format or architecture; unsupported for sources that another
  ///         compiler may accept; unavailable without NVRTC.
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  struct Code;
  Result<Code> compile_source(const BuildRequest& request, const nvidia::BuildOptions& options,
                              const std::vector<std::string>& kernels);
  std::optional<Dependencies> dependencies(Variant variant, const DeviceHeaders& built_in, HeaderSearch search);

  Host host_;
  Headers headers_;
  PrecompiledHeaders precompiled_;
  std::once_flag told_;  // logs once that the compiler is older than the device
};

}  // namespace kmux::nvrtc
