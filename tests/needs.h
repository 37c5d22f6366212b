#pragma once

#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>

namespace kmux {

/// Returns the text of a skip: "needs CAPABILITY (WHY)". tools/skipped_tests.py counts skips by capability, so a
/// capability must have the same name in every test. Details of the machine belong in `why`.
inline std::string needs(std::string_view capability, std::string_view why) {
  return std::string("needs ").append(capability).append(" (").append(why).append(")");
}

/// Returns true if posix_spawn reports that a program cannot be started. Its child writes errno to the memory of its
/// parent, which QEMU's user mode copies, so there such a child ends with 127 instead.
inline bool tells_spawn_errors() {
  char name[] = "none";
  char* const words[] = {name, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/none", nullptr, nullptr, words, words + 1) != 0) return true;
  waitpid(child, nullptr, 0);
  return false;
}

/// Returns the text of the skip of a test that requires tells_spawn_errors().
inline std::string needs_spawn_errors() {
  return needs("errors of posix_spawn",
               "a child here does not share the memory of its parent, as under QEMU's user mode");
}

/// Returns the compiler of the backend, as a capability.
inline std::string compiler_of(std::string_view backend) {
  if (backend == "cuda") return "nvcc";
  if (backend == "nvrtc") return "NVRTC";
  if (backend == "cutedsl") return "CuTe DSL";
  if (backend == "hip") return "Clang 19 and lld";
  return "a compiler of " + std::string(backend);
}

/// Returns the device of the backend, as a capability.
inline std::string device_of(std::string_view backend) {
  if (backend == "cuda" || backend == "nvrtc" || backend == "cutedsl") return "an NVIDIA GPU";
  if (backend == "hip") return "an AMD GPU";
  if (backend == "metal") return "a Mac";
  return "a device of " + std::string(backend);
}

}  // namespace kmux
