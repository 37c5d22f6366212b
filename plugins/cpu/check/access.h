#pragma once

#include <cstdint>

#include "check/fiber_launch.h"

namespace kmux::cpu {

/// How code touches memory; bits that code of kernels passes by value (check/instrument.cpp).
namespace access_kind {
inline constexpr unsigned kRead = 1;
inline constexpr unsigned kWrite = 2;
inline constexpr unsigned kAtomic = 4;
inline constexpr unsigned kHasValue = 8;  // a write of `value`, of at most 8 bytes
}  // namespace access_kind

/// One access by the code of a kernel.
struct MemoryAccess {
  const char* address;
  const char* base;          // what the address was computed from, as far as the code shows it
  std::uint64_t bytes;
  std::uint64_t alignment;   // that the code relies on
  unsigned kind;
  std::uint64_t value;
  const kmux_cpu_site* site;

  bool is(unsigned what) const { return (kind & what) != 0; }
  const char* verb() const {
    if (!is(access_kind::kWrite)) return "reads";
    return is(access_kind::kRead) ? "updates" : "writes";
  }
};

}  // namespace kmux::cpu
