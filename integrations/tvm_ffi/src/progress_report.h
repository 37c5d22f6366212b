// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>

#include "kmux/par_compile.h"

namespace kmux::bridge {

namespace ffi = ::tvm::ffi;

/// Returns a function that calls `report` with each event as JSON, in a C string for the same reason as the log's
/// lines. Returns an empty function without `report`.
std::function<void(const CompileProgress&)> progress_report(const ffi::Optional<ffi::Function>& report);

}  // namespace kmux::bridge
