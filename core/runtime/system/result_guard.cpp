#include "result_guard.h"

namespace kmux {

Error out_of_memory() noexcept {
  try {
    return make_error(ErrorCode::kUnavailable,
                      "there is no memory left (the system or a limit refused more). Free some, or raise the limit.");
  } catch (const std::bad_alloc&) {
    return make_error(ErrorCode::kUnavailable, "out of memory");  // short enough to be held without an allocation
  }
}

}  // namespace kmux
