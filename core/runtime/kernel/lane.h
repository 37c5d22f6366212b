#pragma once

#include <cstdint>

namespace kmux {

/// A small number of the calling host thread that no other living thread has; a thread that ends gives its number back.
///
/// Threads: any. Allocates nothing, takes no lock.
std::uint32_t current_lane() noexcept;

}  // namespace kmux
