#include "simt/check/mbarrier_state.h"

#include <algorithm>

namespace kmux::simt {
namespace {

constexpr unsigned kCountBits = 20;
constexpr unsigned kPendingBit = 1;
constexpr unsigned kExpectedBit = kPendingBit + kCountBits;
constexpr unsigned kBytesBit = kExpectedBit + kCountBits;
constexpr unsigned kBytesBits = 22;
constexpr unsigned kValidBit = kBytesBit + kBytesBits;
static_assert(kValidBit == 63);

std::uint64_t field(std::uint64_t word, unsigned first, unsigned bits) {
  return word >> first & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

MbarrierState MbarrierState::read(std::uint64_t word) {
  MbarrierState state;
  state.is_valid = field(word, kValidBit, 1) != 0;
  state.phase = static_cast<unsigned>(word & kPhaseBit);
  state.pending = static_cast<std::uint32_t>(field(word, kPendingBit, kCountBits));
  state.expected = static_cast<std::uint32_t>(field(word, kExpectedBit, kCountBits));
  const auto bytes = static_cast<std::int32_t>(field(word, kBytesBit, kBytesBits));
  constexpr std::int32_t kHalf = 1 << (kBytesBits - 1);
  state.bytes = bytes >= kHalf ? bytes - 2 * kHalf : bytes;
  return state;
}

std::uint64_t MbarrierState::word() const {
  const auto signed_bytes = static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes));
  return (is_valid ? std::uint64_t{1} << kValidBit : 0) | field(signed_bytes, 0, kBytesBits) << kBytesBit |
         std::uint64_t{expected} << kExpectedBit | std::uint64_t{pending} << kPendingBit | phase;
}

bool MbarrierState::end_phase() {
  if (pending != 0 || bytes != 0) return false;
  phase ^= 1;
  pending = expected;
  return true;
}

std::string MbarrierState::missing() const {
  return std::to_string(pending) + " of " + std::to_string(expected) + " arrivals missing, " + std::to_string(bytes) +
         " bytes missing";
}

}  // namespace kmux::simt
