#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// `text` between double quotes, for messages. It is a name: nothing is escaped.
inline std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace kmux
