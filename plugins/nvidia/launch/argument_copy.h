#pragma once

#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The argument bytes of one launch, kept from call to call. Sizes are the driver's: what it would read.
class ArgumentCopy {
 public:
  ArgumentCopy() = default;
  ArgumentCopy(const ArgumentCopy&) = delete;
  ArgumentCopy& operator=(const ArgumentCopy&) = delete;
  ~ArgumentCopy();

  /// Asks for the parameters of `kernel` and makes room for them, once; later calls do nothing.
  CUresult shape(const DriverTable& driver, CUkernel kernel);

  /// Takes the bytes that `args` point to; says whether one differs from before.
  bool update(void* const* args);

  /// As a launch takes them.
  void** args() const { return args_; }

 private:
  CUresult measure(const DriverTable& driver, CUkernel kernel, size_t* bytes);

  static constexpr unsigned kUnknown = ~0u;
  unsigned count_ = kUnknown;
  void** args_ = nullptr;      // count_ pointers into bytes_, in the same block of memory
  unsigned* sizes_ = nullptr;  // in the same block
};

}  // namespace kmux::nvidia
