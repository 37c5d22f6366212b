// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kmux::cpu {

/// Returns true if `flag` is a flag of Clang or GCC that only changes how a kernel is compiled. Such a flag writes no
/// file, loads no code, prints nothing, starts no program, and cannot keep the compiler from terminating. An unknown
/// flag is not allowed.
///
/// Source: Clang 19, clang/Driver/Options.td; GCC 12, "Option Summary".
bool is_allowed_flag(std::string_view flag);

}  // namespace kmux::cpu
