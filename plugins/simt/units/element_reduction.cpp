#include "simt/units/element_reduction.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>

#include "simt/runtime/launch.h"
#include "simt/units/matrix_values.h"

namespace kmux::simt {
namespace {

/// A number of 16 bits that is computed as float: how to read it, and how to round to it.
struct F16 {
  using Bits = std::uint16_t;
  static float read(Bits bits) { return from_f16(bits); }
  static Bits rounded(float value) { return std::bit_cast<Bits>(static_cast<_Float16>(value)); }
};

struct Bf16 {
  using Bits = std::uint16_t;
  static float read(Bits bits) { return from_bf16(bits); }
  static Bits rounded(float value) {  // to nearest, ties to even
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return 0x7fff;
    return static_cast<Bits>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

/// A number as it is.
template <class T>
struct Plain {
  using Bits = T;
  static T read(Bits bits) { return bits; }
  static Bits rounded(T value) { return value; }
};

[[noreturn]] void refuse() {
  throw KernelFailure(
      "a copy reduces elements by an operation that their type has not (numbers with a fraction add, or take the "
      "smaller or larger one). Choose another operation.");
}

template <std::integral T>
T added(T a, T b) {  // wraps around
  using Unsigned = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
}

template <std::floating_point T>
T added(T a, T b) {
  return a + b;
}

template <class T>
T of_bits(Reduction operation, T a, T b) {
  if constexpr (std::integral<T>) {
    switch (operation) {
      case Reduction::kInc:
        return a >= b ? T{0} : static_cast<T>(a + 1);
      case Reduction::kDec:
        return a == 0 || a > b ? b : static_cast<T>(a - 1);
      case Reduction::kAnd:
        return static_cast<T>(a & b);
      case Reduction::kOr:
        return static_cast<T>(a | b);
      case Reduction::kXor:
        return static_cast<T>(a ^ b);
      default:
        break;
    }
  }
  refuse();
}

template <std::integral T>
bool is_less(T a, T b) {
  return a < b;
}

// -0 is before 0.
template <std::floating_point T>
bool is_less(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

template <class T>
T smaller(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  }
  return is_less(b, a) ? b : a;
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  }
  return is_less(a, b) ? b : a;
}

template <class T>
T combined(Reduction operation, T a, T b) {
  if (operation == Reduction::kAdd) return added(a, b);
  if (operation == Reduction::kMin) return smaller(a, b);
  return operation == Reduction::kMax ? larger(a, b) : of_bits(operation, a, b);
}

template <class Number>
void reduce(char* to, const char* from, std::uint64_t bytes, Reduction operation) {
  typename Number::Bits a, b;
  for (std::uint64_t at = 0; at + sizeof a <= bytes; at += sizeof a) {
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = Number::rounded(combined(operation, Number::read(a), Number::read(b)));
    std::memcpy(to + at, &a, sizeof a);
  }
}

}  // namespace

void reduce_elements(char* to, const char* from, std::uint64_t bytes, Reduction operation, ElementType type) {
  using Reduce = void (*)(char*, const char*, std::uint64_t, Reduction);
  constexpr Reduce kByType[] = {  // in the order of ElementType
                                reduce<Plain<std::uint8_t>>,
                                reduce<Plain<std::uint16_t>>,
                                reduce<Plain<std::uint32_t>>,
                                reduce<Plain<std::int32_t>>,
                                reduce<Plain<std::uint64_t>>,
                                reduce<Plain<std::int64_t>>,
                                reduce<F16>,
                                reduce<Bf16>,
                                reduce<Plain<float>>,
                                reduce<Plain<double>>};
  const auto number = static_cast<std::size_t>(type);
  if (number >= std::size(kByType)) refuse();
  kByType[number](to, from, bytes, operation);
}

}  // namespace kmux::simt
