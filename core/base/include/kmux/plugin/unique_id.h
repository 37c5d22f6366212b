// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kmux {

/// Returns 32 random hexadecimal digits from the system's generator: a name that no other process produces. Empty if
/// the generator fails.
std::string unique_id();

}  // namespace kmux
