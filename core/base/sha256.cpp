#include "kmux/plugin/sha256.h"

#include <bit>
#include <cstring>

#include "sha256_blocks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace kmux {
namespace {

using Bytes = std::span<const unsigned char>;

/// The initial hash values; below, the round constants: fractional parts of the roots of the first primes.
/// Source: FIPS 180-4, 5.3.3 and 4.2.2.
constexpr Sha256State kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
// clang-format off
alignas(16) constexpr std::array<std::uint32_t, 64> kRoundConstants = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
// clang-format on

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// Returns the message schedule of a block. Source: FIPS 180-4, 6.2.2, step 1.
std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t) words[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t a = words[t - 15];
    const std::uint32_t b = words[t - 2];
    words[t] = words[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[t - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  return words;
}

}  // namespace

// Source: FIPS 180-4, 6.2.2, steps 2 to 4.
void sha256_compress_portably(Sha256State& state, Bytes blocks) {
  for (; !blocks.empty(); blocks = blocks.subspan(kSha256BlockBytes)) {
    const std::array<std::uint32_t, 64> words = schedule(blocks.data());
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                                  kRoundConstants[t] + words[t];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const Sha256State added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
  }
}

#if defined(__x86_64__)
// Not __builtin_cpu_supports, which queries all features when a library is loaded: 13 CPUID instructions, each of which
// takes microseconds on a virtual machine.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID: leaf 7, EBX; leaf 1, ECX.
bool has_sha_extensions() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_max(0, nullptr) < 7) return false;
  __cpuid_count(7, 0, eax, ebx, ecx, edx);
  if ((ebx & bit_SHA) == 0) return false;
  __cpuid(1, eax, ebx, ecx, edx);
  return (ecx & bit_SSE4_1) != 0;
}

// The instructions hold the state as (a, b, e, f) and (c, d, g, h), the first word highest.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, SHA256RNDS2, SHA256MSG1, SHA256MSG2.
__attribute__((target("sha,sse4.1"))) void sha256_compress_with_extensions(Sha256State& state, Bytes blocks) {
  const __m128i to_big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const auto* constants = reinterpret_cast<const __m128i*>(kRoundConstants.data());
  auto word = [&](std::size_t i) { return static_cast<int>(state[i]); };
  __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5));
  __m128i cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
  for (; !blocks.empty(); blocks = blocks.subspan(kSha256BlockBytes)) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    const auto* message = reinterpret_cast<const __m128i*>(blocks.data());
    __m128i words[4];  // the next 16 words of the schedule
    for (int i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(_mm_loadu_si128(message + i), to_big_endian);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {  // four rounds each
      const __m128i terms = _mm_add_epi32(words[i % 4], constants[i]);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, terms);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(terms, 0x0e));
      const __m128i seven_back = _mm_alignr_epi8(words[(i + 3) % 4], words[(i + 2) % 4], 4);
      words[i % 4] = _mm_add_epi32(_mm_sha256msg1_epu32(words[i % 4], words[(i + 1) % 4]), seven_back);
      words[i % 4] = _mm_sha256msg2_epu32(words[i % 4], words[(i + 3) % 4]);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  alignas(16) std::array<std::uint32_t, 8> lanes{};
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes.data()), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(lanes.data() + 4), cdgh);
  state = {lanes[3], lanes[2], lanes[7], lanes[6], lanes[1], lanes[0], lanes[5], lanes[4]};
}
#else
bool has_sha_extensions() noexcept { return false; }
void sha256_compress_with_extensions(Sha256State& state, Bytes blocks) { sha256_compress_portably(state, blocks); }
#endif

namespace {

void compress(Sha256State& state, Bytes blocks) {
  static const bool is_fast = has_sha_extensions();
  is_fast ? sha256_compress_with_extensions(state, blocks) : sha256_compress_portably(state, blocks);
}

/// Compresses the padded end: the rest of the message, a one bit, zeros, and the bit count. Source: FIPS 180-4, 5.1.1.
void finish(Sha256State& state, Bytes rest, std::uint64_t message_bytes) {
  std::array<unsigned char, 2 * kSha256BlockBytes> padded{};
  if (!rest.empty()) std::memcpy(padded.data(), rest.data(), rest.size());
  padded[rest.size()] = 0x80;
  const std::size_t size = rest.size() + 9 <= kSha256BlockBytes ? kSha256BlockBytes : padded.size();
  for (std::size_t i = 0; i < 8; ++i) padded[size - 1 - i] = static_cast<unsigned char>(message_bytes * 8 >> 8 * i);
  compress(state, Bytes(padded).first(size));
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  const Bytes message(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  const std::size_t whole = message.size() - message.size() % kSha256BlockBytes;
  Sha256State state = kInitialState;
  compress(state, message.first(whole));
  finish(state, message.subspan(whole), message.size());
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(8 * state.size());
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) text.push_back(kHex[word >> shift & 15]);
  }
  return text;
}

namespace {

int value_of(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

std::string sha256_bytes(std::string_view text) {
  const std::string hex = sha256_hex(text);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(value_of(hex[i]) << 4 | value_of(hex[i + 1])));
  }
  return bytes;
}

std::string padded(std::string key, char with) {
  key.resize(kSha256BlockBytes, '\0');
  for (char& byte : key) byte = static_cast<char>(byte ^ with);
  return key;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  const std::string short_key = key.size() > kSha256BlockBytes ? sha256_bytes(key) : std::string(key);
  return sha256_hex(padded(short_key, 0x5c) + sha256_bytes(padded(short_key, 0x36).append(message)));
}

}  // namespace kmux
