// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "kmux/json.h"

namespace kmux {

/// As parse_json, but throws std::bad_alloc: for callers that take each error for malformed text, which they may remove.
Result<Json> read_json(std::string_view text);

}  // namespace kmux
