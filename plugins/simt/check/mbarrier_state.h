#pragma once

#include <cstdint>
#include <string>

namespace kmux::simt {

/// The state of an mbarrier object: a barrier of 64 bits in shared memory that counts arrivals and bytes.
///
/// Its phase ends when no arrival and no byte is pending. Bytes may complete before they are expected.
struct MbarrierState {
  static constexpr std::uint32_t kMaxCount = (1U << 20) - 1;
  static constexpr std::int32_t kMaxBytes = (1 << 20) - 1;

  bool is_valid = false;  // false: not initialised
  unsigned phase = 0;  // 0 or 1
  std::uint32_t pending = 0;  // arrivals of this phase
  std::uint32_t expected = 0;  // arrivals of each phase
  std::int32_t bytes = 0;  // that are pending; fewer than 0 if some completed early

  static MbarrierState read(std::uint64_t word);
  std::uint64_t word() const;
  /// Begins the next phase if nothing is pending. Returns true if it did.
  bool end_phase();
  /// Returns "1 of 257 arrivals missing, 0 bytes missing".
  std::string missing() const;
};

/// The bit of the word that is the parity of the phase.
inline constexpr std::uint64_t kPhaseBit = 1;

}  // namespace kmux::simt
