#pragma once

#include <pthread.h>

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A mutex of libc, which a constant initialiser makes.
class Lock {
 public:
  constexpr Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  friend class Locked;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a lock for the length of a scope.
class Locked {
 public:
  explicit Locked(Lock& lock) : mutex_(lock.mutex_) { pthread_mutex_lock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

/// A device as a launcher uses it: its primary context, retained.
struct DeviceContext {
  int ordinal;
  CUdevice device;
  CUcontext primary;
  bool may_stay = false;  // current on threads where none was: see ContextScope
  // The thread that a ContextScope has left it current on, or `kSeveralThreads`. Any thread sets it.
  mutable unsigned long stays_on = 0;
  static constexpr unsigned long kSeveralThreads = ~0UL;
};

/// Finds device `ordinal` and retains its primary context. `release_context` comes last.
///
/// Errors: invalid_argument if there is no such device; else what `error_code_of` says.
int retain_context(const DriverTable& driver, int ordinal, DeviceContext* context, kmux_sink error);

/// The call of the driver that decided how a release went.
struct ContextRelease {
  const char* call = nullptr;
  CUresult result = CUDA_SUCCESS;
};

/// Releases it, and makes it no longer current on this thread where it stayed so. Where it stays on another thread it is not
/// released: that thread could not use it any more.
ContextRelease release_context(const DriverTable& driver, const DeviceContext& context);

/// A change of the thread's current context and back, made when it is needed: `enter` again does nothing. A context of the
/// right device that is current already stays, even if it is not the primary one: the caller's streams and memory are of
/// it.
///
/// One that may stay leaves the primary context of device 0 current where none was, so that only the first launch of a thread
/// on its default stream has to change anything. It is the one that CUDA's runtime would take there, which no other device's
/// is: of those none stays.
class ContextScope {
 public:
  ContextScope(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// Errors: launch_failed, or what `error_code_of` says; then nothing is changed.
  int enter(kmux_sink error);

  /// As `enter`, but only the primary context will do.
  int enter_primary(kmux_sink error);

  bool is_entered() const { return is_entered_; }
  /// Whether `leave` makes current what was so before.
  bool is_changed() const { return is_changed_; }
  /// Whether the context that was entered is the primary one.
  bool is_primary() const { return is_entered_ && !is_kept_; }

  /// Restores the context before. Returns `code`, or an error of its own if `code` is 0.
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

/// A time in which calls of this thread that may wait for a device leave the captures of other streams alone. Without it
/// the driver refuses such a call while anything is captured, and spoils what is.
///
/// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverTable& driver) : driver_(driver) {}
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

  /// Each returns what the driver said; `end` does nothing where `begin` failed.
  CUresult begin() {
    const CUresult result = driver_.exchange_capture_mode(&mode_);
    begun_ = result == CUDA_SUCCESS;
    return result;
  }
  CUresult end() { return begun_ ? driver_.exchange_capture_mode(&mode_) : CUDA_SUCCESS; }

  /// Does `action() -> int` in such a time. Returns its code, or the error of the time itself.
  template <class Action>
  static int during(const DriverTable& driver, kmux_sink error, Action action) {
    RelaxedCapture relaxed(driver);
    if (const int code = relaxed.check(relaxed.begin(), error)) return code;
    const int code = action();
    const CUresult ended = relaxed.end();
    return code == KMUX_OK ? relaxed.check(ended, error) : code;
  }

 private:
  int check(CUresult result, kmux_sink error) const;

  const DriverTable& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // once begun, the thread's own
  bool begun_ = false;
};

}  // namespace kmux::nvidia
