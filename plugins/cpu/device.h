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
  /// Applies option `cpu.flush_mib` of `host`, if it is valid.
  explicit CpuDevices(const Host& host);
  Result<Json> properties(int device) override;
  /// Evicts the caches by reading and writing a buffer: twice as large as the largest cache, or as option
  /// `cpu.flush_mib` says.
  Status l2_flush(int device, void* stream) override;

 private:
  std::size_t flush_bytes_ = 0;  // 0: twice the largest cache
  std::mutex mutex_;
  std::vector<unsigned char> flush_buffer_;
};

/// Returns option `cpu.flush_mib`, the MiB that `l2_flush` writes; empty if it is not set.
///
/// Errors: invalid_argument if it is not a number from 1 to 65536.
Result<std::optional<int>> flush_mib_option(const Host& host);

/// Returns ok for device 0.
///
/// Errors: invalid_argument for any other device.
Status check_device(int device);

/// Returns the canonical target, `cpu:<LLVM's name of the processor>`. Accepts "auto", "cpu", "c" and "llvm", with or
/// without a processor ("cpu:x86-64-v3", "llvm -mcpu=x86-64-v3").
///
/// Errors: invalid_argument for another kind, processor or attribute; the message names valid ones.
Result<Target> resolve_cpu_target(std::string_view request);

/// Returns true if code for processor `arch` runs on the processor of `target`.
bool satisfies(const Target& target, const std::string& arch);

/// Returns true if the processor of `target` has `feature`, by LLVM's name.
bool has_feature(const Target& target, const std::string& feature);

/// Returns everything besides program and options that decides the code: the compiler's version and the identity of its
/// files. For this machine's own processor that includes its features. Starts no process.
///
/// Errors: unavailable if the compiler of engine `host` is missing.
Result<std::string> toolchain_identity(const Target& target, const BuildOptions& options);

}  // namespace kmux::cpu
