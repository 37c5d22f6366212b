#pragma once

#include <atomic>

#include "kmux/plugin/driver.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/loaded_code.h"
#include "nvidia/launch/persisting_lines.h"

namespace kmux::nvidia {

/// A kernel on one device.
struct KernelState {
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;  // of the primary context
  unsigned static_smem_bytes = 0;
  unsigned max_threads = 0;  // of a block, by its registers and launch bounds
  std::atomic<unsigned long long> dynamic_smem_limit{0};  // a larger launch must raise it first
};

/// A launcher's state for one device. The launcher creates it under its lock. Calls change only atomics, or take
/// `lock_`.
class DeviceState {
 public:
  DeviceState(const DriverTable& driver, const PlanFacts& facts, const Log& log, PersistingLines& lines)
      : launch_(driver.launch), driver_(driver), facts_(facts), log_(log), lines_(lines) {}
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState() { delete[] kernels_; }

  /// Retains the context of device `ordinal`. The caller must call `release`.
  int retain(int ordinal, kmux_sink error) {
    context_.may_stay = true;
    return retain_context(driver_, ordinal, &context_, error);
  }
  ContextRelease release() { return release_context(driver_, context_); }
  /// Undoes the limit that `prepare` raised for L2 windows. Must be called before `release`.
  PersistingLines::Failure give_back_lines() {
    if (!uses_lines_) return {};
    uses_lines_ = false;
    return lines_.give_back(driver_, context_);
  }

  /// Does the one-time setup of every kernel of `code`, and raises the limit of persisting lines. The context must be
  /// current. If the driver sets no lines aside, launches have no L2 windows, and the log has the reason.
  ///
  /// Errors: invalid_argument if a launch requests more than the device has; else those of `error_code_of`.
  int prepare(const LoadedCode& code, kmux_sink error);

  /// Finds the functions of the primary context, which must be current. Must be called after `prepare`.
  int find_functions(kmux_sink error);

  /// Raises the dynamic shared memory limit of kernel number `index` to `bytes`, if it is lower. Returns 0 or an
  /// ErrorCode.
  int allow_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error) {
    const unsigned long long limit = kernels_[index].dynamic_smem_limit.load(std::memory_order_relaxed);
    return __builtin_expect(bytes <= limit, 1) ? KMUX_OK : raise_dynamic_smem(index, bytes, error);
  }

  /// Returns true if the current limit allows the launch's dynamic shared memory.
  bool allows(const kmux_driver_launch& launch) const {
    return launch.dynamic_smem_bytes <= kernels_[launch.kernel].dynamic_smem_limit.load(std::memory_order_relaxed);
  }

  /// Returns true if the kernel is compiled for blocks of the launch's size. The driver rejects larger ones without a
  /// reason. The product of two extents has at most 62 bits.
  bool fits_block(const kmux_driver_launch& launch) const {
    const unsigned long long most = kernels_[launch.kernel].max_threads;
    const unsigned long long plane = static_cast<unsigned long long>(launch.block[0]) * launch.block[1];
    return plane <= most && plane * launch.block[2] <= most;
  }
  /// Writes the error of a block that does not fit. Returns its ErrorCode.
  int refuse_block(const kmux_driver_launch& launch, kmux_sink error) const;

  /// Prefetches the first kernels, which a call reads last.
  void prefetch() const { __builtin_prefetch(kernels_); }

  /// Returns kernel number `index`, valid in any context of the device.
  CUkernel kernel(unsigned index) const { return kernels_[index].kernel; }
  /// Returns kernel number `index` of the primary context. A launch in another context fails without launching.
  CUfunction function(unsigned index) const { return kernels_[index].function; }
  /// Launches kernel number `index` of the primary context.
  CUresult launch(const CUlaunchConfig& config, unsigned index, void** args) const {
    return launch_(&config, kernels_[index].function, args, nullptr);
  }

  const DriverTable& driver() const { return driver_; }
  const DeviceContext& context() const { return context_; }
  const PlanFacts& facts() const { return facts_; }

  /// Returns the size of the largest L2 window whose lines may all persist; 0 if no lines may persist.
  unsigned long long largest_window_bytes() const;
  /// Logs that a window of `bytes` bytes is cut to the largest size, once.
  void report_cut_window(unsigned long long bytes);
  /// Logs that `count` smaller windows of a launch, of `bytes` bytes together, have no effect, once.
  void report_dropped_windows(unsigned count, unsigned long long bytes);
  /// Logs why a body is launched kernel by kernel instead of as a graph, once.
  void report_plain(const char* why);

 private:
  int read_limits(kmux_sink error);
  int read_limit(CUdevice_attribute attribute, unsigned long long* limit, kmux_sink error);
  int prepare_kernel(unsigned index, CUkernel kernel, kmux_sink error);
  int read_kernel(unsigned index, CUfunction_attribute attribute, unsigned* value, kmux_sink error);
  int raise_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error);
  int refuse_dynamic_smem(unsigned index, unsigned long long bytes, unsigned long long most, kmux_sink error);
  int set_attribute(unsigned index, CUfunction_attribute attribute, int value, kmux_sink error);
  int raise_persisting_limit(kmux_sink error);

  // The members that a plain launch reads, next to each other.
  KernelState* kernels_ = nullptr;
  decltype(DriverTable::launch) launch_;

  const DriverTable& driver_;
  const PlanFacts& facts_;
  const Log& log_;
  PersistingLines& lines_;
  bool uses_lines_ = false;
  DeviceContext context_ = {};
  unsigned long long largest_smem_bytes_ = 0;
  unsigned long long largest_window_bytes_ = 0;
  unsigned long long largest_persisting_bytes_ = 0;
  Lock lock_;
  std::atomic<bool> cut_reported_{false};
  std::atomic<bool> dropped_reported_{false};
  std::atomic<bool> plain_reported_{false};
};

}  // namespace kmux::nvidia
