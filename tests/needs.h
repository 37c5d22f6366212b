#pragma once

#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>

namespace kmux {

/// The text of a skip: "needs CAPABILITY (WHY)". tools/skipped_tests.py counts skips by their capability, so the same thing
/// has the same name in every test, and what differs from machine to machine stands in `why`.
inline std::string needs(std::string_view capability, std::string_view why) {
  return std::string("needs ").append(capability).append(" (").append(why).append(")");
}

/// Does posix_spawn say that a program cannot be started? Its child leaves the errno in the memory of its parent, which QEMU's user
/// mode copies for it, so there such a child is one that ended with 127.
inline bool tells_spawn_errors() {
  char name[] = "none";
  char* const words[] = {name, nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/none", nullptr, nullptr, words, words + 1) != 0) return true;
  waitpid(child, nullptr, 0);
  return false;
}

/// The skip of a test that wants tells_spawn_errors().
inline std::string needs_spawn_errors() {
  return needs("errors of posix_spawn",
               "a child here does not share the memory of its parent, as under QEMU's user mode");
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
