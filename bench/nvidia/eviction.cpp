#include "eviction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace kmux::bench {
namespace {

constexpr std::size_t kFunctions = 128;
constexpr std::size_t kSteps = 8;
constexpr std::size_t kPage = 4096;

alignas(kPage) std::array<std::uint8_t, 128 * kPage> data;

// Touches two addresses whose page and cache set differ from those of earlier steps.
template <std::size_t kStep>
[[gnu::always_inline]] inline void take_step(std::uint32_t& state) {
  constexpr std::size_t kPlace = kStep * (kPage + 64) % data.size();
  state = state * 1664525 + 1013904223 + data[kPlace];
  if ((state & 0x10000) != 0) data[kPlace] = static_cast<std::uint8_t>(state >> 24);
}

template <std::size_t kFunction>
[[gnu::noinline, gnu::aligned(512)]] std::uint32_t run_code(std::uint32_t state) {
  [&]<std::size_t... kStep>(std::index_sequence<kStep...>) {
    (take_step<kFunction * kSteps + kStep>(state), ...);
  }(std::make_index_sequence<kSteps>());
  return state;
}

template <std::size_t... kFunction>
constexpr auto all_code(std::index_sequence<kFunction...>) {
  return std::array{&run_code<kFunction>...};
}

constinit std::array code = all_code(std::make_index_sequence<kFunctions>());  // not const: the calls stay indirect

}  // namespace

void evict() {
  static std::uint32_t state = 0;
  for (const auto& function : code) state = function(state);
}

}  // namespace kmux::bench
