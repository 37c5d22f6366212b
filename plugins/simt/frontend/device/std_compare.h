// The comparison categories of <compare>, which operator <=> returns. Each is compared with the literal 0, a null pointer.
#pragma once
#include <type_traits>

namespace std {

#define KMUX_WITH_ZERO(order, sign)                                                                  \
  friend constexpr bool operator sign(order a, nullptr_t) { return a.value sign 0 && a.value != 2; } \
  friend constexpr bool operator sign(nullptr_t, order a) { return 0 sign a.value && a.value != 2; }
#define KMUX_ORDER(order)                                                       \
  signed char value; /* 2: in no order */                                       \
  friend constexpr bool operator==(order a, order b) = default;                 \
  friend constexpr bool operator==(order a, nullptr_t) { return a.value == 0; } \
  KMUX_WITH_ZERO(order, <) KMUX_WITH_ZERO(order, >) KMUX_WITH_ZERO(order, <=) KMUX_WITH_ZERO(order, >=)

struct partial_ordering {
  KMUX_ORDER(partial_ordering)
  static const partial_ordering less, equivalent, greater, unordered;
};
inline constexpr partial_ordering partial_ordering::less{-1}, partial_ordering::equivalent{0},
    partial_ordering::greater{1}, partial_ordering::unordered{2};

struct weak_ordering {
  KMUX_ORDER(weak_ordering)
  constexpr operator partial_ordering() const { return {value}; }
  static const weak_ordering less, equivalent, greater;
};
inline constexpr weak_ordering weak_ordering::less{-1}, weak_ordering::equivalent{0}, weak_ordering::greater{1};

struct strong_ordering {
  KMUX_ORDER(strong_ordering)
  constexpr operator partial_ordering() const { return {value}; }
  constexpr operator weak_ordering() const { return {value}; }
  static const strong_ordering less, equal, equivalent, greater;
};
inline constexpr strong_ordering strong_ordering::less{-1}, strong_ordering::equal{0}, strong_ordering::equivalent{0},
    strong_ordering::greater{1};

#undef KMUX_ORDER
#undef KMUX_WITH_ZERO

}  // namespace std
