#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// The text of a skip: "needs CAPABILITY (WHY)". tools/skipped_tests.py counts skips by their capability, so the same thing
/// has the same name in every test, and what differs from machine to machine stands in `why`.
inline std::string needs(std::string_view capability, std::string_view why) {
  return std::string("needs ").append(capability).append(" (").append(why).append(")");
}

/// What the backend compiles with, as a capability.
inline std::string compiler_of(std::string_view backend) {
  if (backend == "cuda") return "nvcc";
  if (backend == "nvrtc") return "NVRTC";
  if (backend == "cutedsl") return "CuTe DSL";
  if (backend == "hip") return "Clang 19 and lld";
  return "a compiler of " + std::string(backend);
}

/// What the backend runs on, as a capability.
inline std::string device_of(std::string_view backend) {
  if (backend == "cuda" || backend == "nvrtc" || backend == "cutedsl") return "an NVIDIA GPU";
  if (backend == "hip") return "an AMD GPU";
  if (backend == "metal") return "a Mac";
  return "a device of " + std::string(backend);
}

}  // namespace kmux
