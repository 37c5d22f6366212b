// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmux/error.h"

namespace kmux {

/// The error of an allocation that failed. Where even its sentence cannot be allocated, it has a shorter one.
Error out_of_memory() noexcept;

}  // namespace kmux
