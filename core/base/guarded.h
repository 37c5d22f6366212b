// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <system_error>
#include <utility>

#include "kmux/error.h"

namespace kmux {

/// The error of an allocation that failed. Where even its sentence cannot be allocated, it has a shorter one.
Error out_of_memory() noexcept;

/// Returns the error that the exception in flight stands for. Must be called in a handler.
///
/// Errors: that of a kmux::Exception; out_of_memory for std::bad_alloc; unavailable for std::filesystem_error and std::system_error;
///         internal for all others.
Error error_in_flight() noexcept;

/// Returns the Result of `body`, or the error that its exception stands for. Every public function that returns a Result and can throw
/// goes through this, or through `guarded_but_callers`.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return error_in_flight();
  }
}

/// Like `guarded`, for a body that calls functions of the caller: what these throw is passed on, but for std::bad_alloc and
/// std::system_error, which cannot be told from those of the body.
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
