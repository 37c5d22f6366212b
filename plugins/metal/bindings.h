#pragma once

#include <string>
#include <vector>

#include "kmux/plugin/plan.h"

#include "messages.h"

namespace kmux::metal {

/// The binding of one launch's arguments to a kernel's buffers: argument i is buffer i, unless the launch packs its
/// values. Packed values are one buffer behind the addresses.
struct LaunchBindings {
  struct Address {
    std::size_t argument;
    Count index;
  };
  struct Value {
    std::size_t argument;
    Count index;
    Count bytes;
  };
  std::vector<Address> addresses;
  std::vector<Value> values;  // bound separately; empty if values are packed
  std::vector<std::size_t> packed;  // the arguments, 8 bytes each
  Count packed_index = 0;
};

inline constexpr std::size_t kMaxBuffers = 31;  // Source: Metal Feature Set Tables
inline constexpr std::size_t kMaxConstantBytes = 4096;  // of one setBytes:length:atIndex:
inline constexpr std::size_t kMaxPacked = kMaxConstantBytes / 8;

/// Returns the bindings of every launch of a plan, by step; empty at steps that are fills.
///
/// Errors: unsupported for a launch with more buffers, or more bytes of values, than Metal binds.
Result<std::vector<LaunchBindings>> bindings_of(const Plan& plan);

/// Returns a human-readable line for each launch: its bindings, threadgroups and threadgroup memory.
std::string to_string(const std::vector<LaunchBindings>& bindings, const Plan& plan);

}  // namespace kmux::metal
