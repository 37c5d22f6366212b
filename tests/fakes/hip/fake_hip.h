#pragma once

#include <string>

#include "control.h"

namespace kmux {

/// The HIP on the CPU (libhip_on_cpu.so): HIP's and hiprtc's C interface, kernels compiled and run by the backend for
/// CPUs (kernels/grid_code.h). It records every call and fails on request.
class FakeHip {
 public:
  /// Opens `library` and resets it.
  ///
  /// Errors: throws std::runtime_error with the loader's text, or if the driver below the library is not a fake.
  static FakeHip load(const std::string& library = path());

  /// Returns its file, for option "hip.library": that of the CPU, or the value of KMUX_FAKE_HIP_LIBRARY.
  static std::string path();

  /// Returns true if its hiprtc compiles programs. HIP over CUDA compiles with NVRTC, which may be missing.
  static bool compiles();

  fake_hip::Control* operator->() const { return control_; }

 private:
  explicit FakeHip(fake_hip::Control* control) : control_(control) {}
  fake_hip::Control* control_;
};

}  // namespace kmux
