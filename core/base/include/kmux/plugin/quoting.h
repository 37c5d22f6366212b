// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// Returns `text` between double quotes, for messages. `text` must be a name: nothing is escaped.
inline std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Returns `text` between double quotes on one line, for a message. Escapes quotes, backslashes, invisible characters
/// and bytes that are not UTF-8; cuts long text.
std::string in_double_quotes(std::string_view text);

}  // namespace kmux
