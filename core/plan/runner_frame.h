#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runner_code.h"

namespace kmux {

/// What lies on the stack of a launch; the sizes differ only so that small plans touch little of it. Not initialised: a plan
/// writes before it reads.
template <std::size_t kWords, std::size_t kMaps, std::size_t kWindows>
struct RunnerFrame {
  static bool fits(const RunnerFrameSize& size) {
    return size.words <= kWords && size.addresses <= kWords && size.places <= kWords && size.maps <= kMaps &&
           size.windows <= kWindows;
  }
  std::array<std::int64_t, kWords> words;
  std::array<void*, kWords> addresses;
  std::array<void*, kWords> places;
  std::array<kmux_tensor_map, kMaps> maps;
  std::array<kmux_driver_window, kWindows> windows;
};
using SmallRunnerFrame = RunnerFrame<32, 4, 2>;
using LargeRunnerFrame = RunnerFrame<4096, 256, 64>;

}  // namespace kmux
