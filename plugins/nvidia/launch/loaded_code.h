#pragma once

#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"
#include "nvidia/launch/plan_facts.h"

namespace kmux::nvidia {

/// The code of a launcher in the driver: one library for all devices, and its kernels by their number in the plan.
///
/// Threads: `load` and `unload` one at a time.   Lifetime: borrows code and facts; what `unload` does not free is leaked.
class LoadedCode {
 public:
  LoadedCode(const void* code, const PlanFacts& facts) : code_(code), facts_(facts) {}
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();

  /// Loads once; later calls do nothing, nor do any for a plan without kernels. A context is current.
  ///
  /// Errors: invalid_argument if the code is not for the device or lacks a kernel; unavailable without memory.
  int load(const DriverTable& driver, kmux_sink error);

  /// Kernel number `index`, for every device; only after `load`.
  CUkernel kernel(unsigned index) const { return kernels_[index]; }

  /// Unloads what `load` loaded. Returns the driver's error.
  CUresult unload(const DriverTable& driver);

 private:
  int find_kernels(const DriverTable& driver, kmux_sink error);

  const void* code_;
  const PlanFacts& facts_;
  CUlibrary library_ = nullptr;
  CUkernel* kernels_ = nullptr;
};

/// Compares what launches pass with the parameters that the loaded kernels have: a kernel reads as many bytes as it declares,
/// whatever lies there. Drivers before 12.4 cannot say; then the log gets a line, and nothing is compared.
///
/// Errors: invalid_argument that names the kernel, the parameter and both sizes; else what `error_code_of` says.
int check_packs(const DriverTable& driver, const LoadedCode& code, const PlanFacts& facts, const Log& log,
                kmux_sink error);

}  // namespace kmux::nvidia
