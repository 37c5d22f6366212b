#pragma once

#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The facts of a kernel that a launcher requires before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the largest constant size of a launch
  bool large_cluster;                     // a cluster may have more than 8 blocks
};

/// The arguments that launches pass to a kernel, for comparison with its parameters.
struct PackFacts {
  unsigned kernel;
  unsigned count;
  const unsigned* sizes;  // in bytes, in the order of the parameters
  bool spare;             // a further byte follows, for an empty parameter
};

/// The facts of its plan that a launcher requires. Must outlive the launcher.
struct PlanFacts {
  const KernelFacts* kernels;
  unsigned kernel_count;
  unsigned map_count;
  unsigned step_count;
  unsigned long long window_bytes;  // the largest constant L2 window; 1 if one is not constant; 0 without any
  bool replay;                      // option `graph` is on and the body may be replayed as a graph
  const char* name;                 // of the program, for messages and ranges
  bool ranges;                      // show calls and launches to profilers, as NVTX ranges
  bool needs_context;  // a call allocates, which fails without a current context, even on a stream of it
  bool only_launches;               // a call has neither workspaces, tensor maps nor fills
  const PackFacts* packs;           // without duplicates
  unsigned pack_count;
  bool blocking = false;            // each launch blocks, so that its errors are reported at the launch
  const unsigned* more_kernels = nullptr;  // the number of further `kernels` that the plan does not name; null: none
  int shared_carveout = -1;  // percent of a multiprocessor's L1 and shared memory; -1: the driver's choice
};

/// Returns `facts` with the kernels that the plan does not name included in `kernel_count`: they are known only after
/// the code is compiled, when the launcher is already printed.
inline PlanFacts with_all_kernels(PlanFacts facts) {
  if (facts.more_kernels != nullptr) facts.kernel_count += *facts.more_kernels;
  facts.more_kernels = nullptr;
  return facts;
}

/// The code of a launcher in the driver: one library for all devices, and its kernels by their number in the plan.
///
/// Threads: the caller must serialize `load` and `unload`.   Lifetime: code and facts must outlive the object; without
///          `unload`, the driver's library is leaked.
class LoadedCode {
 public:
  LoadedCode(const void* code, const PlanFacts& facts) : code_(code), facts_(facts) {}
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();

  /// Loads the code once. Does nothing if it is loaded, or if the plan has no kernels. A context must be current.
  ///
  /// Errors: invalid_argument if the code is not for the device or lacks a kernel; unavailable without memory.
  int load(const DriverTable& driver, kmux_sink error);

  /// Returns kernel number `index`, valid for every device. Must be called after `load`.
  CUkernel kernel(unsigned index) const { return kernels_[index]; }

  /// Writes the address in the current context and the bytes of variable `symbol`. Must be called after `load`.
  ///
  /// Errors: invalid_argument if the code has no such variable; else those of `error_code_of`.
  int find_variable(const DriverTable& driver, const char* symbol, void** address, uint64_t* bytes,
                    kmux_sink error) const;

  /// Unloads the code. Returns the driver's error.
  CUresult unload(const DriverTable& driver);

 private:
  int find_kernels(const DriverTable& driver, kmux_sink error);

  const void* code_;
  const PlanFacts& facts_;
  CUlibrary library_ = nullptr;
  CUkernel* kernels_ = nullptr;
};

/// Checks the arguments of launches against the parameters of the loaded kernels: a kernel reads its declared sizes,
/// even beyond the passed bytes. Drivers before 12.4 do not report parameters; the check is then skipped with a line in
/// the log.
///
/// Errors: invalid_argument that names the kernel, the parameter and both sizes; else those of `error_code_of`.
int check_packs(const DriverTable& driver, const LoadedCode& code, const PlanFacts& facts, const Log& log,
                kmux_sink error);

}  // namespace kmux::nvidia
