#pragma once

#include <vector>

#include "kmux/plugin/driver.h"

#include "launch/hip_error.h"

namespace kmux::hip {

/// The facts of a kernel that a launcher requires before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the largest constant size of a launch
  unsigned static_smem_bytes;
  unsigned max_threads;                   // of a block; 0 if unknown
};

/// The argument sizes of one launch of the plan in bytes, in parameter order. HIP has no call that returns them.
struct StepFacts {
  const unsigned* sizes;
  unsigned count;
};

/// The facts of its plan that a launcher requires. Must outlive the launcher.
struct PlanFacts {
  const char* name;  // of the program, for messages
  const KernelFacts* kernels;
  unsigned kernel_count;
  bool ranges = false;  // show calls and launches to profilers, as ROCTx ranges
  bool replay = false;  // option `graph` is on and the body may be replayed as a graph
  const StepFacts* steps = nullptr;  // launches and fills, for a replay
  unsigned step_count = 0;
};

/// Sets the current device of this thread for the duration of a call; changes nothing if it is already the right one.
class DeviceScope {
 public:
  explicit DeviceScope(const HipTable& hip) : hip_(hip) {}
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Makes `device` current. On failure, changes nothing.
  ///
  /// Errors: those of `error_code_of`.
  int enter(int device, kmux_sink error) {
    int current = -1;
    const int result = hip_.device_get(&current);
    if (__builtin_expect(result == kHipSuccess && current == device, 1)) return KMUX_OK;
    return change(current, result, device, error);
  }

  /// Restores the previous device. Returns `code`, or the error of restoring if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int change(int current, int result, int device, kmux_sink error);
  int restore(int code, kmux_sink error);

  const HipTable& hip_;
  int before_ = 0;
  bool is_changed_ = false;
};

/// The code of a launcher on one device: a separate module, its kernels by their number in the plan, and the limits of
/// their launches. The launcher creates it under its lock; calls only read it.
class DeviceCode {
 public:
  DeviceCode(const HipTable& hip, const PlanFacts& facts, int ordinal)
      : launch_(hip.launch), hip_(hip), facts_(facts), ordinal_(ordinal) {}

  /// Loads the code and finds every kernel. The device must be current.
  ///
  /// Errors: invalid_argument if the code is not for the device, lacks a kernel, or if any kernel requests more dynamic
  ///         shared memory than the device has; else those of `error_code_of`.
  int load(const void* code, kmux_sink error);

  /// Writes the address and the bytes of variable `symbol` of the code. The device must be current.
  ///
  /// Errors: those of `error_code_of`.
  int find_variable(const char* symbol, void** address, uint64_t* bytes, kmux_sink error) const;

  /// Unloads the module. The device must be current. Returns HIP's error.
  int unload();

  /// Returns true if `launch` alone can do the launch: it is within the kernel's limits and has no flags.
  bool allows(const kmux_driver_launch& launch) const {
    const Kernel& kernel = kernels_[launch.kernel];
    const unsigned long long threads =
        static_cast<unsigned long long>(launch.block[0]) * launch.block[1] * launch.block[2];
    return launch.dynamic_smem_bytes <= kernel.dynamic_smem_limit && threads <= kernel.max_threads &&
           launch.flags == 0 && are_countable(launch);
  }
  int launch(const kmux_driver_launch& launch, void* stream) const {
    return launch_(kernels_[launch.kernel].function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                   launch.block[1], launch.block[2], static_cast<unsigned>(launch.dynamic_smem_bytes),
                   static_cast<hipStream_t>(stream), launch.args, nullptr);
  }

  /// Handles a launch that `allows` rejects: does a cooperative launch, and returns an error for any other.
  int launch_special(const kmux_driver_launch& launch, void* stream, kmux_sink error) const;

  /// Writes the error of a launch that HIP rejected with `result`. Returns its ErrorCode.
  int fail_launch(const char* call, const kmux_driver_launch& launch, int result, kmux_sink error) const;

  const HipTable& hip() const { return hip_; }
  const char* name_of(unsigned kernel) const { return facts_.kernels[kernel].name; }
  hipFunction_t function(unsigned kernel) const { return kernels_[kernel].function; }
  const StepFacts& step(unsigned step) const { return facts_.steps[step]; }
  int ordinal() const { return ordinal_; }

 private:
  struct Kernel {
    hipFunction_t function = nullptr;
    unsigned long long dynamic_smem_limit = 0;
    unsigned long long max_threads = 0;
  };

  // Returns true if each dimension has fewer than 2^32 threads. Source: HIP Runtime API, hipModuleLaunchKernel.
  static bool are_countable(const kmux_driver_launch& launch) {
    unsigned long long all = 0;
    for (int i = 0; i < 3; ++i) all |= static_cast<unsigned long long>(launch.grid[i]) * launch.block[i];
    return all >> 32 == 0;
  }
  unsigned long long read_smem_limit() const;
  int find_kernels(kmux_sink error);
  int check_kernel(unsigned index, kmux_sink error) const;
  int refuse_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error) const;
  int refuse_threads(const kmux_driver_launch& launch, kmux_sink error) const;
  std::string quoted_name(unsigned index) const;

  // The members that a plain launch reads, next to each other.
  std::vector<Kernel> kernels_;
  decltype(HipTable::launch) launch_;

  const HipTable& hip_;
  const PlanFacts& facts_;
  const int ordinal_;
  unsigned long long smem_limit_ = 0;
  hipModule_t module_ = nullptr;
};

}  // namespace kmux::hip
