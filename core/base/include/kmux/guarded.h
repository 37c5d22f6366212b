// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <system_error>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// Returns the error of a failed allocation. Its sentence is shorter if even the sentence cannot be allocated.
Error out_of_memory() noexcept;

/// Converts the exception in flight to an error. Must be called in a handler.
///
/// Errors: that of a kmux::Exception; out_of_memory for std::bad_alloc; unavailable for std::filesystem_error and
///         std::system_error; internal for all others.
Error error_in_flight() noexcept;

/// Returns the Result of `body`, or its exception converted to an error. Every public function that returns a Result
/// and can throw must use this or `guarded_but_callers`.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return error_in_flight();
  }
}

/// Like `guarded`, for a body that calls functions of the caller. Their exceptions propagate, except std::bad_alloc and
/// std::system_error, which cannot be distinguished from those of the body.
template <class Body>
auto guarded_but_callers(Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::system_error&) {
    return error_in_flight();
  }
}

}  // namespace kmux
