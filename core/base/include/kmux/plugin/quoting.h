// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// `text` between double quotes, for messages. It is a name: nothing is escaped.
inline std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

/// `text` between double quotes on one line, for a message: quotes, backslashes and what is not visible, or not UTF-8, are
/// escaped, long text is cut.
std::string in_double_quotes(std::string_view text);

}  // namespace kmux
