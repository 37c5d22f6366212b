#pragma once

#include <cstdint>
#include <functional>

#include "simt/check/shared_windows.h"
#include "simt/units/matrix_product.h"

namespace kmux::simt {

/// The shared memory of a block, which descriptors address by the lower 18 bits of addresses.
struct SharedWindow {
  const char* begin;
  std::uint64_t bytes;

  static constexpr std::uint64_t kSize = SharedWindows::kAlignment;
  /// Returns the 16 bytes whose address ends in `low`.
  ///
  /// Errors: throws KernelFailure if they are not within the memory.
  const char* chunk(std::uint64_t low) const;
};

inline constexpr std::uint64_t kChunkBytes = 16;

/// A matrix in shared memory, as wgmma describes it: chunks of 16 bytes in groups of eight rows, swizzled or not.
class MatrixDescriptor {
 public:
  /// Errors: throws KernelFailure for a base offset, which only matrices off the pattern of a swizzle have.
  explicit MatrixDescriptor(std::uint64_t bits);

  /// Returns the lower bits of the address of a chunk of 16 bytes along K, in row `row` of M or N.
  std::uint64_t k_major(unsigned row, unsigned chunk) const;
  /// Returns the same for a chunk of eight elements of 16 bits along M or N.
  std::uint64_t mn_major(unsigned k, unsigned chunk) const;

 private:
  std::uint64_t swizzled(std::uint64_t address) const;

  std::uint64_t start_, leading_, stride_;  // bytes
  std::uint64_t span_;  // of the swizzle in bytes; 16: none
};

/// A part of a matrix in shared memory: `lines` rows of M or N from `first` on, by `k` elements of K.
struct MatrixPart {
  MatrixType type;
  bool is_mn_major;
  unsigned first, lines, k;
};

/// Returns the number of the swizzle that a tensor map has for the matrix that `descriptor` describes.
std::uint8_t swizzle_of(std::uint64_t descriptor);

/// Calls `visit` with each chunk of 16 bytes of a part of the matrix that `descriptor` describes.
///
/// Errors: throws KernelFailure if the part is not within the shared memory.
void for_each_chunk(const SharedWindow& window, std::uint64_t descriptor, const MatrixPart& part,
                    const std::function<void(const char*)>& visit);

/// Reads a part of the matrix that `descriptor` describes. Element (line, k) goes to `to[line * by_line + k * by_k]`.
///
/// Errors: throws KernelFailure if the part is not within the shared memory.
template <class T>
void read_described(const SharedWindow& window, std::uint64_t descriptor, const MatrixPart& part, unsigned by_line,
                    unsigned by_k, T* to);

}  // namespace kmux::simt
