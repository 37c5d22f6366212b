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
  std::atomic<unsigned long long> dynamic_smem_limit{0};  // a launch that asks for more must raise it before
};

/// What a launcher knows of one device that it launches on. Made under the launcher's lock; a call changes only atomics,
/// or takes `lock_`.
class DeviceState {
 public:
  DeviceState(const DriverTable& driver, const PlanFacts& facts, const Log& log, PersistingLines& lines)
      : launch_(driver.launch), driver_(driver), facts_(facts), log_(log), lines_(lines) {}
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState() { delete[] kernels_; }

  /// Retains the context of device `ordinal`; `release` gives it back.
  int retain(int ordinal, kmux_sink error) {
    context_.may_stay = true;
    return retain_context(driver_, ordinal, &context_, error);
  }
  ContextRelease release() { return release_context(driver_, context_); }
  /// Gives back what `prepare` raised for L2 windows, before `release`.
  PersistingLines::Failure give_back_lines() {
    if (!uses_lines_) return {};
    uses_lines_ = false;
    return lines_.give_back(driver_, context_);
  }

  /// Does for every kernel of `code` what has to be done once, and raises the limit of persisting lines. The context is
  /// current. Where the driver sets no lines aside, the launches have no L2 windows, and the log has the reason.
  ///
  /// Errors: invalid_argument where a launch asks for more than the device has; else what `error_code_of` says.
  int prepare(const LoadedCode& code, kmux_sink error);

  /// Finds the functions of the primary context, which is current; after `prepare`.
  int find_functions(kmux_sink error);

  /// Allows kernel number `index` to use this much, if it may not yet. Returns 0 or an ErrorCode.
  int allow_dynamic_smem(unsigned index, unsigned long long bytes, kmux_sink error) {
    const unsigned long long limit = kernels_[index].dynamic_smem_limit.load(std::memory_order_relaxed);
    return __builtin_expect(bytes <= limit, 1) ? KMUX_OK : raise_dynamic_smem(index, bytes, error);
  }

  /// May a launch have its shared memory as things are?
  bool allows(const kmux_driver_launch& launch) const {
    return launch.dynamic_smem_bytes <= kernels_[launch.kernel].dynamic_smem_limit.load(std::memory_order_relaxed);
  }

  /// Is the kernel compiled for the block of a launch? The driver refuses one that is too large; this says why. Two extents have
  /// 62 bits at most.
  bool fits_block(const kmux_driver_launch& launch) const {
    const unsigned long long most = kernels_[launch.kernel].max_threads;
    const unsigned long long plane = static_cast<unsigned long long>(launch.block[0]) * launch.block[1];
    return plane <= most && plane * launch.block[2] <= most;
  }
  /// The error of one that is not.
  int refuse_block(const kmux_driver_launch& launch, kmux_sink error) const;

  /// Asks the caches for the first kernels, which a call reads last.
  void prefetch() const { __builtin_prefetch(kernels_); }

  /// Kernel number `index`, for whatever context is current.
  CUkernel kernel(unsigned index) const { return kernels_[index].kernel; }
  /// Kernel number `index` in the primary context, whatever is current: a launch in another one fails, and launches
  /// nothing.
  CUfunction function(unsigned index) const { return kernels_[index].function; }
  /// Launches it.
  CUresult launch(const CUlaunchConfig& config, unsigned index, void** args) const {
    return launch_(&config, kernels_[index].function, args, nullptr);
  }

  const DriverTable& driver() const { return driver_; }
  const DeviceContext& context() const { return context_; }
  const PlanFacts& facts() const { return facts_; }

  /// The largest L2 window that a launch may have and whose lines may all persist; 0 if there are none.
  unsigned long long largest_window_bytes() const;
  /// Logs that a window of `bytes` bytes is cut to that, once.
  void report_cut_window(unsigned long long bytes);
  /// Logs that `count` smaller windows of a launch, of `bytes` bytes together, have no effect, once.
  void report_dropped_windows(unsigned count, unsigned long long bytes);
  /// Logs why a body that is to be replayed as a graph is launched kernel by kernel, once.
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

  // Beside each other: all that a plain launch reads.
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
