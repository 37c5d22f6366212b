// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kmux::cpu {

/// Returns true for a flag of Clang or GCC that changes how a kernel is compiled, and nothing else: it writes no file, loads no code,
/// prints nothing, starts no program, and cannot keep the compiler from an end. What is not known is not allowed.
///
/// Source: Clang 19, clang/Driver/Options.td; GCC 12, "Option Summary".
bool is_allowed_flag(std::string_view flag);

}  // namespace kmux::cpu
