#pragma once

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// A device as a launcher uses it: its primary context, retained.
struct DeviceContext {
  int ordinal;
  CUdevice device;
  CUcontext primary;
};

/// Finds device `ordinal` and retains its primary context. `release_context` comes last.
///
/// Errors: invalid_argument if there is no such device; else what `error_code_of` says.
int retain_context(const DriverTable& driver, int ordinal, DeviceContext* context, kmux_sink error);
CUresult release_context(const DriverTable& driver, const DeviceContext& context);

/// A change of the thread's current context and back, made when it is needed: `enter` again does nothing. A context of the
/// right device that is current already stays, even if it is not the primary one: the caller's streams and memory are of
/// it.
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
  /// Whether another context, or none, was current before.
  bool is_changed() const { return is_changed_; }
  /// Whether the context that was entered is the primary one.
  bool is_primary() const { return is_entered_ && !is_kept_; }

  /// Restores the context before. Returns `code`, or an error of its own if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int look(CUcontext* current, kmux_sink error) const;
  int find_device(CUdevice* device, kmux_sink error) const;
  int change(CUcontext current, kmux_sink error);
  int restore(int code, kmux_sink error);

  const DriverTable& driver_;
  const DeviceContext& context_;
  CUcontext before_ = nullptr;
  bool is_entered_ = false;
  bool is_changed_ = false;
  bool is_kept_ = false;  // another context of the device was current
};

}  // namespace kmux::nvidia
