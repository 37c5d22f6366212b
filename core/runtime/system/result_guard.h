#pragma once

#include <new>
#include <utility>

#include "base/out_of_memory.h"

namespace kmux {

/// What `body` returns, a Result: memory that it cannot have is an error of that, too. Every public function that may
/// allocate much goes through this, so that no exception leaves a function with a Result.
template <class Body>
auto without_bad_alloc(Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace kmux
