#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "wrapper.h"

namespace kmux::cpu {

/// Takes option "cpu.threads" of the host, if it is set: how many threads a launch may use at most in this process, its caller's
/// too.
///
/// Errors: invalid_argument if it is no number from 1 to 512.
Status take_threads_option(const Host& host);

/// Takes option "cpu.code_symbols" of the host, if it is set: whether gdb and perf are shown the kernels that this process loads.
///
/// Errors: invalid_argument if it is neither "on" nor "off".
Status take_symbols_option(const Host& host);

/// A backend, whose kernels may launch. With the last of them the pool's threads end.
///
/// Threads: any.
class PoolUse {
 public:
  /// Threads that the application of `host` lends are used before the pool's own.
  explicit PoolUse(const Host& host);
  ~PoolUse();
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;
};

/// C and C++ functions on this machine's processor.
class CpuBackend final : public BackendOf<CpuWrapper, CpuBuilder, CpuDevices> {
 public:
  static const PluginInfo kInfo;
  explicit CpuBackend(Host host) : BackendOf(host), pool_use_(host) {}
  /// Errors: invalid_argument for a value that option "cpu.threads" does not take.
  static Result<std::unique_ptr<Backend>> create(Host host);

  /// What a variant may use; the manifest says the same.
  static const std::vector<std::string>& features();

  Result<ProbeReport> probe() override;
  Result<Target> resolve_target(std::string_view request, std::optional<int> device) override;
  Result<std::vector<MissingFeature>> supports(const BuildRequest& request) override;
  Result<std::unique_ptr<Adapter>> load(const Artifact& artifact, int device) override;
  Result<Artifact> standalone(const BuildRequest& request, const Artifact& built) override {
    return builder_.standalone(request, built);
  }

 private:
  PoolUse pool_use_;
};

}  // namespace kmux::cpu
