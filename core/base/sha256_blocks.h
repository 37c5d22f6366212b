#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kmux {

/// Units: bytes of a block of SHA-256.
inline constexpr std::size_t kSha256BlockBytes = 64;

/// The eight words that blocks are compressed into.
using Sha256State = std::array<std::uint32_t, 8>;

/// Whole blocks, compressed into `state` on any processor.
///
/// Threads: any, as all of these.
void sha256_compress_portably(Sha256State& state, std::span<const unsigned char> blocks);

/// Has this processor the instructions for it?
bool has_sha_extensions() noexcept;

/// The same with them, six times as fast.
void sha256_compress_with_extensions(Sha256State& state, std::span<const unsigned char> blocks);

}  // namespace kmux
