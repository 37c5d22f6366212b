#pragma once

#include <string>
#include <string_view>

namespace kmux {

/// `text` between double quotes on one line, for a message: quotes, backslashes and control characters are escaped, long
/// text is cut.
std::string in_double_quotes(std::string_view text);

}  // namespace kmux
