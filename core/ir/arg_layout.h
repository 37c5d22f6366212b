// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kmux/dispatch.h"

namespace kmux {

/// The maximum size of a structure in bytes: the limit of all parameters of a CUDA kernel.
///
/// Source: CUDA C++ Programming Guide, Function Parameters (compute capability below 7.0).
inline constexpr std::int64_t kMaxStructBytes = 4096;
/// The maximum nesting depth of structures, including the outermost one.
inline constexpr int kMaxStructDepth = 8;
/// The largest alignment that a structure may have, in bytes.
inline constexpr std::int64_t kMaxStructAlignment = 128;

/// The size and alignment of an argument, in bytes.
struct ArgLayout {
  std::int64_t bytes = 0;  // a multiple of the alignment
  std::int64_t alignment_bytes = 1;  // a power of two
  bool operator==(const ArgLayout&) const = default;
};
/// Returns the layout of `arg`, which must be valid; `type_of` returns the type of the scalar parameter of a name.
ArgLayout layout_of(const LaunchArg& arg, const std::function<DType(const std::string&)>& type_of);
/// Appends a member of layout `member` to a structure of layout `whole`, without rounding up its size. Returns the
/// offset of the member.
std::int64_t append_member(ArgLayout& whole, const ArgLayout& member);

}  // namespace kmux
