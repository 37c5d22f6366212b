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

/// A change of the thread's current context and back. A context of the right device that is current already stays, even
/// if it is not the primary one: the caller's streams and memory are of it.
class ContextScope {
 public:
  ContextScope(const DriverTable& driver, const DeviceContext& context) : driver_(driver), context_(context) {}
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// Errors: launch_failed, or what `error_code_of` says; then nothing is changed.
  int enter(kmux_sink error) {
    CUcontext current = nullptr;
    const CUresult result = driver_.current_get(&current);
    if (__builtin_expect(result == CUDA_SUCCESS && current == context_.primary, 1)) return KMUX_OK;
    return enter_from(current, result, error);
  }

  /// Whether the context that is now current is the primary one.
  bool is_primary() const { return !is_kept_; }

  /// Restores the context before. Returns `code`, or an error of its own if `code` is 0.
  int leave(int code, kmux_sink error) { return __builtin_expect(is_changed_, 0) ? restore(code, error) : code; }

 private:
  int enter_from(CUcontext current, CUresult result, kmux_sink error);
  int restore(int code, kmux_sink error);

  const DriverTable& driver_;
  const DeviceContext& context_;
  CUcontext before_ = nullptr;
  bool is_changed_ = false;
  bool is_kept_ = false;  // another context of the device was current
};

}  // namespace kmux::nvidia
