#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "kmux/par_compile.h"

namespace kmux {

/// What each of `programs` different programs may take, where its job does not say: 0 and nothing are no limit.
inline std::optional<std::chrono::milliseconds> time_limit(const ParCompileOptions& how, std::size_t programs) {
  if (how.timeout || programs < 2) return how.timeout;
  return kUsualTimeout;
}

}  // namespace kmux
