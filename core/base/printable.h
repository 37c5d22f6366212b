// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// Returns `text` as a terminal may be given it: control characters, marks that turn the direction of text around, and bytes that are
/// not UTF-8 are written as \xHH. Line breaks, tabs, and carriage returns before a line break stay.
std::string printable(std::string_view text);

}  // namespace kmux
