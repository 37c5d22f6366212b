// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace kmux {

/// Returns the one T of the process, constructed by the first call and never destroyed, so that threads may use it
/// while the process exits. Allocates nothing beyond what the constructor of T does.
///
/// Threads: any.
template <class T>
T& immortal() {
  alignas(T) static std::array<std::byte, sizeof(T)> place;
  static T& instance = *::new (place.data()) T;
  return instance;
}

}  // namespace kmux
