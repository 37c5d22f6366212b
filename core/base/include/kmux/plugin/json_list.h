#pragma once

#include "kmux/json.h"

namespace kmux {

/// The list of `items`: texts or numbers.
template <class Items>
Json json_list(const Items& items) {
  return Json::Array(items.begin(), items.end());
}

}  // namespace kmux
