#pragma once

#include <string_view>

namespace kmux {

/// Does `name` occur in `code` as a whole word?
bool mentions(std::string_view code, std::string_view name);

}  // namespace kmux
