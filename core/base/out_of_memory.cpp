// SPDX-License-Identifier: Apache-2.0
#include "out_of_memory.h"

#include <new>

namespace kmux {

Error out_of_memory() noexcept {
  try {
    return make_error(ErrorCode::kOutOfMemory,
                      "out of memory (the system or a limit refused more). Free some, or raise the limit.");
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kOutOfMemory, "out of memory");  // short enough to be held without an allocation
  }
}

}  // namespace kmux
