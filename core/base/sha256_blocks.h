#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kmux {

/// The size of a SHA-256 block. Units: bytes.
inline constexpr std::size_t kSha256BlockBytes = 64;

/// The hash state: eight words.
using Sha256State = std::array<std::uint32_t, 8>;

/// Compresses whole blocks into `state`, on any processor.
///
/// Threads: any; so for all functions here.
void sha256_compress_portably(Sha256State& state, std::span<const unsigned char> blocks);

/// Returns true if this processor has the SHA-256 instructions.
bool has_sha_extensions() noexcept;

/// As `sha256_compress_portably`, with those instructions: six times as fast. `has_sha_extensions` must be true.
void sha256_compress_with_extensions(Sha256State& state, std::span<const unsigned char> blocks);

}  // namespace kmux
