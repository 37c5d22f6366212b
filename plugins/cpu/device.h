#pragma once

#include <mutex>
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
  explicit CpuDevices(Host) : CpuDevices() {}  // needs nothing of it
  Result<Json> properties(int device) override;
  /// Reads and writes more memory than the caches hold.
  Status l2_flush(int device, void* stream) override;

 private:
  std::mutex mutex_;
  std::vector<unsigned char> flush_buffer_;
};

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
