#pragma once

#include "nvidia/launch/context.h"

namespace kmux::nvidia {

/// The size of each device's persisting L2 cache, which launchers with L2 windows raise: a limit of the primary
/// context, which all launchers of the application share.
///
/// Threads: thread-safe.   Lifetime: must outlive all launchers that use it.
class PersistingLines {
 public:
  static constexpr int kMaxDevices = 64;

  /// The first driver call that failed; null if all succeeded.
  struct Failure {
    const char* call = nullptr;
    CUresult result = CUDA_SUCCESS;
  };

  constexpr PersistingLines() = default;
  PersistingLines(const PersistingLines&) = delete;
  PersistingLines& operator=(const PersistingLines&) = delete;

  /// Raises the limit of the current context, which must be one of `context`'s device, to `bytes`. Sets `is_used` if
  /// that is the primary context. The caller must then call `give_back` later, even if `raise` returns a failure.
  Failure raise(const DriverTable& driver, const DeviceContext& context, size_t bytes, bool* is_used);

  /// Ends one use. The last one makes persisting lines normal and restores the previous limit, unless another library
  /// has changed the limit since.
  Failure give_back(const DriverTable& driver, const DeviceContext& context);

 private:
  struct Raised {
    unsigned users = 0;
    bool is_raised = false;
    size_t before = 0;
    size_t limit = 0;  // as the driver has rounded it
  };
  static CUresult use(const DriverTable& driver, Raised& raised, size_t before, size_t bytes);
  static void set_back(const DriverTable& driver, const Raised& raised, Failure* failure);

  Lock lock_;
  Raised raised_[kMaxDevices] = {};
};

/// Returns the object of this library.
PersistingLines& own_persisting_lines();

}  // namespace kmux::nvidia
