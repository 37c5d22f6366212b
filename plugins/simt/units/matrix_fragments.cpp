#include "simt/units/matrix_fragments.h"

#include <algorithm>
#include <cstring>

#include "simt/units/matrix_values.h"

namespace kmux::simt {
namespace {

constexpr unsigned kMaxOfRegister = 8;  // elements, of four bits

// Calls `set(i, value)` for each element of `type` in `count` registers.
template <class T, class Set>
void each_element(MatrixType type, const void* registers, unsigned count, const Set& set) {
  const unsigned bytes = register_bits(type) / 8, per = register_bits(type) / element_bits(type);
  for (unsigned number = 0; number < count; ++number) {
    T values[kMaxOfRegister];
    unpack(type, static_cast<const char*>(registers) + number * bytes, bytes, values);
    for (unsigned j = 0; j < per; ++j) set(number * per + j, values[j]);
  }
}

// Calls `visit(i, pair)` for elements i and i + 1 of the lane's sums, which are neighbours in a row.
template <class T, class Visit>
void each_pair(const MatrixProduct& product, unsigned lane, T* sums, const Visit& visit) {
  for (unsigned i = 0; i < product.m * product.n / 32U; i += 2) {
    const MatrixPlace place = place_in_all_sums(lane, product.m, i);
    visit(i, sums + place.row * product.n + place.column);
  }
}

unsigned elements_of_register(MatrixType type) { return register_bits(type) / element_bits(type); }

}  // namespace

template <class T>
void read_a(const MatrixProduct& product, unsigned lane, const void* registers, T* a) {
  const unsigned per = elements_of_register(product.a), tile = std::min<unsigned>(product.m, 16) * product.k / 32;
  each_element<T>(product.a, registers, lane_registers(product.a, product.m * product.k), [&](unsigned i, T value) {
    const MatrixPlace place = place_in_rows(lane, per, tile, i);
    a[place.row * product.k + place.column] = value;
  });
}

template <class T>
void read_b(const MatrixProduct& product, unsigned lane, const void* registers, T* b) {
  const unsigned per = elements_of_register(product.b), tile = 8U * product.k / 32;
  each_element<T>(product.b, registers, lane_registers(product.b, product.k * product.n), [&](unsigned i, T value) {
    const MatrixPlace place = place_in_columns(lane, per, tile, i);
    b[place.row * product.n + place.column] = value;
  });
}

template <class T>
void read_c(const MatrixProduct& product, unsigned lane, const void* registers, T* c) {
  const bool is_half = product.c == MatrixType::kF16;
  each_pair(product, lane, c, [&](unsigned i, T* pair) {
    const unsigned bytes = is_half ? sizeof(std::uint16_t) : sizeof(T);
    const char* const from = static_cast<const char*>(registers) + i * bytes;
    if constexpr (std::is_same_v<T, float>) {
      if (is_half) return unpack(product.c, from, 2 * bytes, pair);
    }
    std::memcpy(pair, from, 2 * sizeof(T));
  });
}

template <class T>
void write_d(const MatrixProduct& product, unsigned lane, const T* d, void* registers) {
  const bool is_half = product.d == MatrixType::kF16;
  each_pair(product, lane, d, [&](unsigned i, const T* pair) {
    if constexpr (std::is_same_v<T, float>) {
      if (is_half) {
        const std::uint16_t rounded[] = {to_f16(pair[0]), to_f16(pair[1])};
        std::memcpy(static_cast<char*>(registers) + i * sizeof *rounded, rounded, sizeof rounded);
        return;
      }
    }
    std::memcpy(static_cast<char*>(registers) + i * sizeof(T), pair, 2 * sizeof(T));
  });
}

#define KMUX_FRAGMENTS_OF(T)                                             \
  template void read_a(const MatrixProduct&, unsigned, const void*, T*); \
  template void read_b(const MatrixProduct&, unsigned, const void*, T*); \
  template void read_c(const MatrixProduct&, unsigned, const void*, T*); \
  template void write_d(const MatrixProduct&, unsigned, const T*, void*);
KMUX_FRAGMENTS_OF(float)
KMUX_FRAGMENTS_OF(double)
KMUX_FRAGMENTS_OF(std::uint32_t)
#undef KMUX_FRAGMENTS_OF

}  // namespace kmux::simt
