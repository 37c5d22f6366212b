#pragma once

#include "nvidia/launch/driver_table.h"
#include "nvidia/launch/replay_failure.h"

namespace kmux::nvidia {

/// The argument bytes of one launch, kept from call to call. Sizes are the driver's: what it would read.
class ArgumentCopy {
 public:
  ArgumentCopy() = default;
  ArgumentCopy(const ArgumentCopy&) = delete;
  ArgumentCopy& operator=(const ArgumentCopy&) = delete;
  ~ArgumentCopy();

  /// Asks for the parameters of `kernel` and makes room for them, once; later calls do nothing.
  ReplayFailure shape(const DriverTable& driver, CUkernel kernel);

  /// Takes the bytes that `args` point to; says whether one differs from before.
  bool update(void* const* args);

  /// As a launch takes them.
  void** args() const { return args_; }

 private:
  static ReplayFailure measure(const DriverTable& driver, CUkernel kernel, unsigned* count, size_t* bytes);
  ReplayFailure allocate(unsigned count, size_t bytes);
  ReplayFailure place(const DriverTable& driver, CUkernel kernel);

  unsigned count_ = 0;
  char* block_ = nullptr;     // the bytes, then the two arrays that follow; null before `shape`
  void** args_ = nullptr;     // into the bytes
  size_t* sizes_ = nullptr;
};

}  // namespace kmux::nvidia
