// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kmux {

/// 32 hexadecimal digits from the system's generator: a name that no other process gives. Empty if there is no generator.
std::string unique_id();

}  // namespace kmux
