#include "simt/units/matrix_descriptors.h"

#include <string>

#include "simt/runtime/launch.h"
#include "simt/units/matrix_values.h"

namespace kmux::simt {
namespace {

constexpr unsigned kMaxOfChunk = 16;  // elements, of eight bits

// Returns the 14 bits at `place`, a number of 16 bytes.
std::uint64_t bytes_at(std::uint64_t descriptor, unsigned place) {
  return (descriptor >> place & 0x3fff) * kChunkBytes;
}

std::uint64_t span_of(std::uint64_t descriptor) {
  constexpr std::uint64_t kSpans[] = {16, 128, 64, 32};
  return kSpans[descriptor >> 62];
}

// Unpacks the elements of a chunk to each `step`-th element from `to` on.
template <class T>
[[gnu::always_inline]] inline void unpack_chunk(MatrixType type, const char* chunk, unsigned step, T* to) {
  if (step == 1) return unpack(type, chunk, kChunkBytes, to);
  T values[kMaxOfChunk];
  unpack(type, chunk, kChunkBytes, values);
  const auto count = static_cast<unsigned>(kChunkBytes * 8 / element_bits(type));
  for (unsigned i = 0; i < count; ++i) to[i * step] = values[i];
}

}  // namespace

const char* SharedWindow::chunk(std::uint64_t low) const {
  // Both addresses may lie on either side of a multiple of the window's size.
  const std::uint64_t offset = (low - reinterpret_cast<std::uintptr_t>(begin)) % kSize;
  if (offset + kChunkBytes <= bytes) return begin + offset;
  throw KernelFailure("a descriptor of wgmma leaves the shared memory of its block (byte " + std::to_string(offset) +
                      " of " + std::to_string(bytes) + "). Correct its start, offsets or swizzle.");
}

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start_(bytes_at(bits, 0)), leading_(bytes_at(bits, 16)), stride_(bytes_at(bits, 32)), span_(span_of(bits)) {
  if ((bits >> 49 & 7) == 0) return;
  throw KernelFailure(
      "a descriptor of wgmma has a base offset (its matrix does not begin where the pattern of its swizzle does). "
      "Align the matrix to 1024 bytes.");
}

// Each row of 128 bytes of shared memory has its chunks in another order. The span tells how many bits of its number count.
std::uint64_t MatrixDescriptor::swizzled(std::uint64_t address) const {
  return address ^ (address >> 3 & (span_ - kChunkBytes));
}

std::uint64_t MatrixDescriptor::k_major(unsigned row, unsigned chunk) const {
  const std::uint64_t within = row % 8 * span_ + row / 8 * stride_;
  return swizzled(start_ + within + chunk * (span_ == kChunkBytes ? leading_ : kChunkBytes));
}

std::uint64_t MatrixDescriptor::mn_major(unsigned k, unsigned chunk) const {
  const std::uint64_t within = k % 8 * span_;
  if (span_ == kChunkBytes) return start_ + within + k / 8 * leading_ + chunk * stride_;
  const auto chunks = static_cast<unsigned>(span_ / kChunkBytes);
  return swizzled(start_ + within + k / 8 * stride_ + chunk / chunks * leading_ + chunk % chunks * kChunkBytes);
}

namespace {

// Calls `visit(line, k, chunk)` with the place of the first element of each chunk.
template <class Visit>
[[gnu::always_inline]] inline void visit_chunks(const SharedWindow& window, std::uint64_t descriptor,
                                                const MatrixPart& part, const Visit& visit) {
  const MatrixDescriptor matrix(descriptor);
  const auto per = static_cast<unsigned>(kChunkBytes * 8 / element_bits(part.type));
  const unsigned line_step = part.is_mn_major ? per : 1, k_step = part.is_mn_major ? 1 : per;
  for (unsigned line = 0; line < part.lines; line += line_step) {
    for (unsigned k = 0; k < part.k; k += k_step) {
      const unsigned at = part.first + line;
      const std::uint64_t place = part.is_mn_major ? matrix.mn_major(k, at / per) : matrix.k_major(at, k / per);
      visit(line, k, window.chunk(place));
    }
  }
}

}  // namespace

std::uint8_t swizzle_of(std::uint64_t descriptor) { return static_cast<std::uint8_t>((4 - (descriptor >> 62)) % 4); }

void for_each_chunk(const SharedWindow& window, std::uint64_t descriptor, const MatrixPart& part,
                    const std::function<void(const char*)>& visit) {
  visit_chunks(window, descriptor, part, [&](unsigned, unsigned, const char* chunk) { visit(chunk); });
}

template <class T>
void read_described(const SharedWindow& window, std::uint64_t descriptor, const MatrixPart& part, unsigned by_line,
                    unsigned by_k, T* to) {
  const unsigned step = part.is_mn_major ? by_line : by_k;
  visit_chunks(window, descriptor, part, [&](unsigned line, unsigned k, const char* chunk) {
    unpack_chunk(part.type, chunk, step, to + line * by_line + k * by_k);
  });
}

template void read_described(const SharedWindow&, std::uint64_t, const MatrixPart&, unsigned, unsigned, float*);
template void read_described(const SharedWindow&, std::uint64_t, const MatrixPart&, unsigned, unsigned, double*);
template void read_described(const SharedWindow&, std::uint64_t, const MatrixPart&, unsigned, unsigned, std::uint32_t*);

}  // namespace kmux::simt
