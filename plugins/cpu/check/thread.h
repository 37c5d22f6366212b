#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "check/fiber.h"
#include "check/fiber_launch.h"

namespace kmux::cpu {

inline constexpr unsigned kWarpLanes = 32;

using Index = std::array<unsigned, 3>;

/// "(1, 0, 0)".
std::string to_string(const Index& index);

/// What a lane asks of its warp.
struct WarpCall {
  enum class Kind : unsigned char { kShuffle, kBallot, kSync };
  Kind kind = Kind::kSync;
  unsigned mask = 0;            // the lanes that take part; 0: those that come to the same place
  int value = 0;                // of a ballot: not 0 if it has the condition
  int lane = 0;                 // of a shuffle: whose value it wants
  const void* place = nullptr;  // in the code
  unsigned result = 0;
};

/// A thread of the block that runs.
struct Thread {
  enum class State : unsigned char { kReady, kInWarpCall, kAtBarrier, kEnded };

  unsigned number = 0;  // in the block
  Index index = {};
  State state = State::kReady;
  std::unique_ptr<Fiber> fiber = {};  // once it has begun
  unsigned mask = 0;                  // announced for its warp calls
  WarpCall call = {};
  const kmux_cpu_site* site = nullptr;  // of the barrier or the warp call that it is in, where the kernel is checked
  /// How many __syncwarp it has been through, and up to which of theirs it has seen what the other lanes did.
  std::array<std::uint32_t, kWarpLanes> seen = {};
  unsigned polls = 0;

  unsigned lane() const { return number % kWarpLanes; }
};

}  // namespace kmux::cpu
