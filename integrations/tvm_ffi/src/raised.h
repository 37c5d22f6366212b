#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tvm/ffi/error.h>

#include "kmux/error.h"

namespace kmux::bridge {

namespace ffi = ::tvm::ffi;

/// Returns the name under which TVM-FFI carries an error of `code`: "ValueError" for an invalid argument, else
/// "kmux.CODE".
///
/// Python raises the exception registered under that name, or RuntimeError if none is registered.
std::string error_kind(ErrorCode code);

/// Returns `error` as an exception of TVM-FFI: its text in brief unless KMUX_VERBOSE is on, and its notes by kind in
/// its extra context.
///
/// Errors: throws the pending exception of the language instead if it has cancelled the call (Ctrl-C).
ffi::Error raised(const Error& error, std::string_view kind);
inline ffi::Error raised(const Error& error) { return raised(error, error_kind(error.code)); }

/// Returns the error for an argument of the wrong type.
ffi::Error wrong_type(std::string message);

/// Returns the value, or throws the error.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw raised(result.error());
  return *std::move(result);
}

}  // namespace kmux::bridge
