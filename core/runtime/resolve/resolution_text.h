#pragma once

#include <string>

#include "kmux/json.h"
#include "kmux/resolver.h"

namespace kmux {

/// "12.30 us (12.10 to 12.60)".
std::string to_text(const Interval& interval);
Json to_json(const Interval& interval);
/// "12.3 ms".
std::string milliseconds_text(double ms);

}  // namespace kmux
