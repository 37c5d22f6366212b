#pragma once

#include <vector>

#include "kmux/plugin/driver.h"

#include "launch/hip_error.h"

namespace kmux::hip {

/// What a launcher must know of a kernel before its first launch.
struct KernelFacts {
  const char* name;                       // the symbol in the code
  unsigned long long dynamic_smem_bytes;  // the most that a launch asks for by a constant
  unsigned static_smem_bytes;
  unsigned max_threads;                   // of a block; 0 if the code does not say
};

/// What one launch of the plan passes: bytes, in the order of the parameters. HIP has no call that tells them.
struct StepFacts {
  const unsigned* sizes;
  unsigned count;
};

/// What a launcher must know of its plan. Borrowed; outlives the launcher.
struct PlanFacts {
  const char* name;  // of the program, for messages
  const KernelFacts* kernels;
  unsigned kernel_count;
  bool ranges = false;  // show calls and launches to profilers, as ROCTx ranges
  bool replay = false;  // option `graph` is on and the body may be replayed as a graph
  const StepFacts* steps = nullptr;  // launches and fills, for a replay
  unsigned step_count = 0;
};

/// The current device of this thread for the length of a call: HIP's own is kept wherever it is the right one.
class DeviceScope {
 public:
  explicit DeviceScope(const HipTable& hip) : hip_(hip) {}
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  /// Errors: 0, or HIP's error; then nothing is changed.
  int enter(int device, kmux_sink error) {
    int current = -1;
    const int result = hip_.device_get(&current);
    if (__builtin_expect(result == kHipSuccess && current == device, 1)) return KMUX_OK;
    return change(current, result, device, error);
  }

  /// Restores the device before. Returns `code`, or an error of its own if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int change(int current, int result, int device, kmux_sink error);
  int restore(int code, kmux_sink error);

  const HipTable& hip_;
  int before_ = 0;
  bool is_changed_ = false;
};

/// The code of a launcher on one device: a module of its own, its kernels by their number in the plan, and what a launch
/// of each may ask for. Made under the launcher's lock; a call only reads it.
class DeviceCode {
 public:
  DeviceCode(const HipTable& hip, const PlanFacts& facts, int ordinal)
      : launch_(hip.launch), hip_(hip), facts_(facts), ordinal_(ordinal) {}

  /// Loads the code and finds every kernel. The device is current.
  ///
  /// Errors: invalid_argument if the code is not for the device, lacks a kernel, or if a kernel asks for more dynamic
  ///         shared memory than the device has (each kernel is looked at); else what `error_code_of` says.
  int load(const void* code, kmux_sink error);

  /// Where variable `symbol` of the code lies, and how many bytes it has. The device is current.
  ///
  /// Errors: what `error_code_of` says.
  int find_variable(const char* symbol, void** address, uint64_t* bytes, kmux_sink error) const;

  /// Unloads; the device is current. Returns HIP's error.
  int unload();

  /// May a launch be made as it is? Then `launch` is all there is to do.
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

  /// What `allows` refuses: a cooperative launch is made, the rest is told.
  int launch_special(const kmux_driver_launch& launch, void* stream, kmux_sink error) const;

  /// The error of a launch that HIP refused with `result`.
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

  // A dimension has fewer than 2^32 threads. Source: HIP Runtime API, hipModuleLaunchKernel.
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

  // Beside each other: all that a plain launch reads.
  std::vector<Kernel> kernels_;
  decltype(HipTable::launch) launch_;

  const HipTable& hip_;
  const PlanFacts& facts_;
  const int ordinal_;
  unsigned long long smem_limit_ = 0;
  hipModule_t module_ = nullptr;
};

}  // namespace kmux::hip
