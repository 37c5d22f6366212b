#pragma once

#include <string>

#include "control.h"

namespace kmux {

/// The HIP on the CPU (libhip_on_cpu.so): HIP's and hiprtc's C interface, kernels compiled and run by the backend for CPUs
/// (kernels/grid_code.h). It writes down every call and fails where it is told to.
class FakeHip {
 public:
  /// Opens `library` and resets it.
  ///
  /// Errors: throws std::runtime_error with the loader's text, or for a library over a driver that is not a fake.
  static FakeHip load(const std::string& library = path());

  /// Its file, for option "hip.library": that of the CPU, or what KMUX_FAKE_HIP_LIBRARY names.
  static std::string path();

  /// Whether its hiprtc makes programs. HIP over CUDA does so with NVRTC, which may not be there.
  static bool compiles();

  fake_hip::Control* operator->() const { return control_; }

 private:
  explicit FakeHip(fake_hip::Control* control) : control_(control) {}
  fake_hip::Control* control_;
};

}  // namespace kmux
