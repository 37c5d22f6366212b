// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kmux/dispatch.h"

namespace kmux {

/// The most bytes of a structure: those of all parameters of a kernel of CUDA.
///
/// Source: CUDA C++ Programming Guide, Function Parameters (compute capability below 7.0).
inline constexpr std::int64_t kMaxStructBytes = 4096;
/// The most structures within one another, the outermost one counted.
inline constexpr int kMaxStructDepth = 8;
/// The largest alignment that a structure may have, in bytes.
inline constexpr std::int64_t kMaxStructAlignment = 128;

/// The size and alignment of an argument, in bytes.
struct ArgLayout {
  std::int64_t bytes = 0;  // a multiple of the alignment
  std::int64_t alignment_bytes = 1;  // a power of two
  bool operator==(const ArgLayout&) const = default;
};
/// Returns the layout of `arg`, a valid one; `type_of` gives the type of a scalar parameter, whose name it gets.
ArgLayout layout_of(const LaunchArg& arg, const std::function<DType(const std::string&)>& type_of);
/// Appends one member of layout `member` to a structure of layout `whole`, whose size is not rounded up yet; returns its offset.
std::int64_t append_member(ArgLayout& whole, const ArgLayout& member);

}  // namespace kmux
