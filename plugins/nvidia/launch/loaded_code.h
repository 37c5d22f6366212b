#pragma once

#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// What a launcher must know of a kernel before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the most that a launch asks for by a constant
  bool large_cluster;                     // a cluster has more than 8 blocks, or may have
};

/// What launches pass to a kernel, to be compared with what it takes.
struct PackFacts {
  unsigned kernel;
  unsigned count;
  const unsigned* sizes;  // in bytes, in the order of the parameters
  bool spare;             // a further byte follows, for a parameter that holds nothing
};

/// What a launcher must know of its plan. Borrowed; outlives the launcher.
struct PlanFacts {
  const KernelFacts* kernels;
  unsigned kernel_count;
  unsigned map_count;
  unsigned step_count;
  unsigned long long window_bytes;  // the largest constant L2 window; 1 if one is not constant; 0 without any
  bool replay;                      // option `graph` is on and the body may be replayed as a graph
  const char* name;                 // of the program, for messages and ranges
  bool ranges;                      // show calls and launches to profilers, as NVTX ranges
  bool needs_context;  // a call does what fails without its context even on a stream of it: it allocates
  bool only_launches;               // a call has neither workspaces, tensor maps nor fills
  const PackFacts* packs;           // each once
  unsigned pack_count;
  bool blocking = false;            // a call waits for each launch, so that its errors are told where they were made
  const unsigned* more_kernels = nullptr;  // how many follow in `kernels` that the plan does not name; null: none
  int shared_carveout = -1;  // percent of what a multiprocessor has for it and its L1 cache; -1: the driver's choice
};

/// `facts` that count the kernels which the plan does not name: where the code was made, more was known than where the launcher
/// was printed.
inline PlanFacts with_all_kernels(PlanFacts facts) {
  if (facts.more_kernels != nullptr) facts.kernel_count += *facts.more_kernels;
  facts.more_kernels = nullptr;
  return facts;
}

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

  /// Where variable `symbol` of the code lies in the context that is current, and its bytes; only after `load`.
  ///
  /// Errors: invalid_argument if there is none; else what `error_code_of` says.
  int find_variable(const DriverTable& driver, const char* symbol, void** address, uint64_t* bytes,
                    kmux_sink error) const;

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
