#pragma once

#include <cstdint>

namespace kmux {

/// Units: bytes of this process that are in memory now; 0 if the system does not say.
std::uint64_t resident_bytes();

/// Units: bytes. The most that this process has had in memory. Unlike getrusage's, not what the process that started it
/// had in the moment of its start.
/// Source: proc(5), VmHWM; getrusage(2), notes on ru_maxrss after vfork and execve.
std::uint64_t peak_resident_bytes();

}  // namespace kmux
