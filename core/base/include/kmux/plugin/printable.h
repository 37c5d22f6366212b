// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// Returns `text` in a form that is safe for a terminal. Control characters, bidirectional control marks and bytes that
/// are not UTF-8 become `\\xHH`. Line breaks, tabs, and carriage returns before a line break are kept.
std::string printable(std::string_view text);

/// Returns `text` as valid UTF-8: bytes that are not UTF-8 become `\\xHH`, and nothing else changes.
std::string as_utf8(std::string_view text);

}  // namespace kmux
