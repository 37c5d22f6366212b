#pragma once

#include <pthread.h>

#include "kmux/plugin/relaxed_capture.h"

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A mutex of libc with constant initialization.
class Lock {
 public:
  constexpr Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  friend class Locked;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a lock for the duration of a scope.
class Locked {
 public:
  explicit Locked(Lock& lock) : mutex_(lock.mutex_) { pthread_mutex_lock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

/// A device of a launcher, with its retained primary context.
struct DeviceContext {
  int ordinal;
  CUdevice device;
  CUcontext primary;
  bool may_stay = false;  // may stay current on threads without a context: see ContextScope
  // The thread on which a ContextScope left the context current, or `kSeveralThreads`. Any thread may set it.
  mutable unsigned long stays_on = 0;
  static constexpr unsigned long kSeveralThreads = ~0UL;
};

/// Finds device `ordinal` and retains its primary context. The caller must call `release_context`.
///
/// Errors: invalid_argument if there is no such device; else those of `error_code_of`.
int retain_context(const DriverTable& driver, int ordinal, DeviceContext* context, kmux_sink error);

/// The driver call that determined the result of a release.
struct ContextRelease {
  const char* call = nullptr;
  CUresult result = CUDA_SUCCESS;
};

/// Releases the context. If it stayed current on this thread, makes no context current. If it stays current on another
/// thread, does not release it, since it would become invalid there.
ContextRelease release_context(const DriverTable& driver, const DeviceContext& context);

/// Changes the thread's current context on demand, and restores it; a second `enter` does nothing. A current context of
/// the right device is kept, even if it is not the primary one: the caller's streams and memory belong to it.
///
/// With `may_stay`, the primary context of device 0 stays current if the thread had no context. Only the first launch
/// of a thread on its default stream then changes the context. CUDA's runtime would select the same context there, but
/// never another device's, so those do not stay.
class ContextScope {
 public:
  ContextScope(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// Makes a context of the device current. On failure, changes nothing.
  ///
  /// Errors: launch_failed, or those of `error_code_of`.
  int enter(kmux_sink error);

  /// Makes the primary context current, even if another context of the device is.
  int enter_primary(kmux_sink error);

  bool is_entered() const { return is_entered_; }
  /// Returns true if `leave` has to restore the previous context.
  bool is_changed() const { return is_changed_; }
  /// Returns true if the entered context is the primary one.
  bool is_primary() const { return is_entered_ && !is_kept_; }

  /// Restores the previous context. Returns `code`, or the error of restoring if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int look(CUcontext* current, kmux_sink error) const;
  int find_device(CUdevice* device, kmux_sink error) const;
  int change(CUcontext current, kmux_sink error);
  void keep(CUcontext before);
  int restore(int code, kmux_sink error);

  const DriverTable& driver_;
  const DeviceContext& context_;
  CUcontext before_ = nullptr;
  bool is_entered_ = false;
  bool is_changed_ = false;
  bool is_kept_ = false;  // another context of the device was current
};

/// The driver's calls that concern captures, for the templates of kmux/plugin/.
///
/// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode and cuStreamIsCapturing.
struct CaptureCalls {
  static constexpr const char* kExchange = "cuThreadExchangeStreamCaptureMode";
  static constexpr const char* kQuery = "cuStreamIsCapturing";
  static constexpr int kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

  CaptureCalls(const DriverTable& table) : driver(table) {}

  int exchange_mode(int* mode) const;
  int query(void* stream, int* status) const {
    CUstreamCaptureStatus answer = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = driver.stream_capturing(static_cast<CUstream>(stream), &answer);
    *status = answer;
    return result;
  }
  int fail(const char* call, int result, const char* detail, kmux_sink error) const;
  const char* name_of(int result) const;
  static bool says_capturing(int result);
  static bool forbids_unloading(int result);

  const DriverTable& driver;
};

using RelaxedCapture = kmux::RelaxedCapture<CaptureCalls>;

}  // namespace kmux::nvidia
