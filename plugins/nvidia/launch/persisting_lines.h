#pragma once

#include "nvidia/launch/context.h"

namespace kmux::nvidia {

/// How much of the L2 cache of each device may persist, as launchers with L2 windows have raised it: a limit of the primary
/// context, which all launchers of the application share.
///
/// Threads: any.   Lifetime: beyond all launchers that use it.
class PersistingLines {
 public:
  static constexpr int kMaxDevices = 64;

  /// The first call of the driver's that failed; null if none did.
  struct Failure {
    const char* call = nullptr;
    CUresult result = CUDA_SUCCESS;
  };

  constexpr PersistingLines() = default;
  PersistingLines(const PersistingLines&) = delete;
  PersistingLines& operator=(const PersistingLines&) = delete;

  /// Raises the limit of the context that is current, which is one of `context`'s device, to `bytes`. `is_used`: that is the
  /// primary one, and `give_back` comes later.
  ///
  /// After a failure `is_used` counts all the same.
  Failure raise(const DriverTable& driver, const DeviceContext& context, size_t bytes, bool* is_used);

  /// With the last user: makes the lines that persist normal ones, and sets the limit to what it was, unless another library
  /// has set it since.
  Failure give_back(const DriverTable& driver, const DeviceContext& context);

 private:
  struct Raised {
    unsigned users = 0;
    bool is_raised = false;
    size_t before = 0;
    size_t limit = 0;  // as the driver has taken it
  };
  static CUresult use(const DriverTable& driver, Raised& raised, size_t before, size_t bytes);
  static void set_back(const DriverTable& driver, const Raised& raised, Failure* failure);

  Lock lock_;
  Raised raised_[kMaxDevices] = {};
};

/// That of this library.
PersistingLines& own_persisting_lines();

}  // namespace kmux::nvidia
