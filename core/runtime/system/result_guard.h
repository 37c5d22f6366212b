#pragma once

#include <new>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// Told without allocating, where even that cannot be had.
inline Error out_of_memory() noexcept {
  try {
    return make_error(ErrorCode::kOutOfMemory,
                      "out of memory (the system or a limit refused more). Free some, or raise the limit.");
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kOutOfMemory, "out of memory");  // short enough to be held without an allocation
  }
}

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
