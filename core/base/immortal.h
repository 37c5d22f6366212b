// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace kmux {

/// Returns the one T of the process, made by the first call and never destroyed: what threads may use while the process ends. Takes
/// no memory but what the constructor of T takes.
///
/// Threads: any.
template <class T>
T& immortal() {
  alignas(T) static std::array<std::byte, sizeof(T)> place;
  static T& instance = *::new (place.data()) T;
  return instance;
}

}  // namespace kmux
