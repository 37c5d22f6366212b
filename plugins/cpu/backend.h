#pragma once

#include "kmux/plugin/plugin.hpp"

#include "builder.h"
#include "device.h"
#include "wrapper.h"

namespace kmux::cpu {

/// Applies option "cpu.threads" of the host, if it is set: the most threads that a launch may use in this process,
/// including the calling thread.
///
/// Errors: invalid_argument if the value is not a number from 1 to 512.
Status take_threads_option(const Host& host);

/// Applies option "cpu.code_symbols" of the host: whether this process shows the kernels that it loads to gdb and perf.
/// The default is off.
///
/// Errors: invalid_argument if the value is neither "on" nor "off".
Status take_symbols_option(const Host& host);

/// A use of the thread pool by one backend whose kernels may launch. Destroying the last use stops the pool's threads.
///
/// Threads: any.
class PoolUse {
 public:
  /// Lends the threads of the application of `host` to the pool, which uses them before its own.
  explicit PoolUse(const Host& host);
  ~PoolUse();
  PoolUse(const PoolUse&) = delete;
  PoolUse& operator=(const PoolUse&) = delete;
};

/// The backend for C, C++ and GPU kernels on this machine's processor.
class CpuBackend final : public BackendOf<CpuWrapper, CpuBuilder, CpuDevices> {
 public:
  static const PluginInfo kInfo;
  explicit CpuBackend(Host host) : BackendOf(host), pool_use_(host) {}
  /// Returns a backend for `host`.
  ///
  /// Errors: invalid_argument if option "cpu.code_symbols", "cpu.threads" or "cpu.flush_mib" is invalid.
  static Result<std::unique_ptr<Backend>> create(Host host);

  /// Returns the features that a variant may use. The manifest must list the same.
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
