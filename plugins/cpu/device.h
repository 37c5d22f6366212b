#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/plugin/host_devices.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/target.h"

#include "options.h"

namespace kmux::cpu {

/// This machine's processor as device 0.
///
/// Threads: any.
class CpuDevices final : public HostDevices {
 public:
  CpuDevices() : HostDevices("cpu") {}
  /// With option `cpu.flush_mib` of `host`, if it is in range.
  explicit CpuDevices(const Host& host);
  Result<Json> properties(int device) override;
  /// Reads and writes more memory than the caches hold: twice the largest, or as much as the option says.
  Status l2_flush(int device, void* stream) override;

 private:
  std::size_t flush_bytes_ = 0;  // 0: by the caches
  std::mutex mutex_;
  std::vector<unsigned char> flush_buffer_;
};

/// How many MiB `l2_flush` writes, if option `cpu.flush_mib` says so.
///
/// Errors: invalid_argument if it is not a number from 1 to 65536.
Result<std::optional<int>> flush_mib_option(const Host& host);

/// ok for device 0, else invalid_argument.
Status check_device(int device);

/// The canonical target, `cpu:<LLVM's name of the processor>`, for "auto", "cpu", "c", "llvm", each with a processor
/// or without ("cpu:x86-64-v3", "llvm -mcpu=x86-64-v3").
///
/// Errors: invalid_argument for another kind, processor or attribute, with what there is.
Result<Target> resolve_cpu_target(std::string_view request);

/// Does code for processor `arch` run on that of `target`?
bool satisfies(const Target& target, const std::string& arch);

/// Has the processor of `target` what LLVM calls `feature`?
bool has_feature(const Target& target, const std::string& feature);

/// What decides the code besides program and options: versions, and path, size and time of the compiler's files; for
/// this machine's own processor also its features.
///
/// Errors: unavailable if the compiler of engine `host` is not there. Starts no process.
Result<std::string> toolchain_identity(const Target& target, const BuildOptions& options);

}  // namespace kmux::cpu
