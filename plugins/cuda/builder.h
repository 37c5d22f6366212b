#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/headers.h"
#include "kmux/plugin/plugin.hpp"

#include "nvcc.h"
#include "nvidia/library/adapter.h"
#include "nvidia/options.h"

namespace kmux::cuda {

/// Compiles sources with nvcc, and the launcher with the machine's C++ compiler.
///
/// Threads: thread-safe.
class CudaBuilder final : public Builder {
 public:
  explicit CudaBuilder(Host host) : host_(host) {}

  Result<std::string> toolchain(const Target& target, const Options& options) override;
  Result<Artifact> build(const BuildRequest& request, std::string_view launcher) override;

 private:
  std::optional<Dependencies> dependencies(const BuildRequest& request, const nvidia::BuildOptions& options,
                                           const Nvcc& nvcc);

  // Logs once that the compiler is older than the device.
  void tell_forward(const BuildRequest& request, const Nvcc& nvcc, nvidia::Arch code);

  Host host_;
  Headers headers_;
  std::once_flag warned_;  // `warn_of_unused_flags` was called
  std::once_flag told_;    // `tell_forward` has logged
};

}  // namespace kmux::cuda
