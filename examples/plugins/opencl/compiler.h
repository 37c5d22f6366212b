#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kmux/plugin/launch_check.h"

#include "machine.h"
#include "options.h"

namespace kmux::opencl {

/// A program of OpenCL C or of a binary, built for a device.
///
/// Threads: any.   Lifetime: before the device's end.
class BuiltProgram {
 public:
  /// Compiles the sources of `variant`.
  ///
  /// Errors: compile_failed with the build log as note "log"; invalid_argument as `compiler_options`.
  static Result<BuiltProgram> compile(const OpenDevice& device, const Variant& variant, const BuildOptions& options);
  /// Loads what `binary` gave.
  ///
  /// Errors: invalid_argument if the driver does not take it.
  static Result<BuiltProgram> load(const OpenDevice& device, const std::string& binary);

  BuiltProgram(BuiltProgram&& other) noexcept
      : device_(other.device_), program_(std::exchange(other.program_, nullptr)), log_(std::move(other.log_)) {}
  BuiltProgram(const BuiltProgram&) = delete;
  BuiltProgram& operator=(const BuiltProgram&) = delete;
  ~BuiltProgram();

  /// What the driver compiled, for `load`.
  Result<std::string> binary() const;
  /// A new object of that kernel.
  ///
  /// Errors: compile_failed if there is none.
  Result<ClKernel> make_kernel(const std::string& name) const;
  /// Warnings of the compiler.
  const std::string& log() const { return log_; }

 private:
  BuiltProgram(const OpenDevice& device, ClProgram program) : device_(&device), program_(program) {}
  std::string read_log() const;
  const OpenDevice* device_;
  ClProgram program_;
  std::string log_ = {};
};

/// What a driver has about a kernel.
struct KernelLimits {
  std::size_t max_group = 0;      // work-items of a work-group
  std::uint64_t local_bytes = 0;  // that the kernel declares
  std::array<std::size_t, 3> required_group = {};  // reqd_work_group_size; 0: any
};
KernelLimits limits_of(const OpenDevice& device, ClKernel kernel);

/// The parameters of `kernel` as far as the driver has them; nothing where it has none, or one of a type whose size it lacks.
KernelForm form_of(const OpenDevice& device, ClKernel kernel, bool has_local);

}  // namespace kmux::opencl
