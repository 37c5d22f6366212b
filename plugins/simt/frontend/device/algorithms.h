// The subset of <algorithm>, <functional> and <utility> for device code.
#pragma once
#include <type_traits>

namespace std {

template <class T>
constexpr __remove_reference_t(T)&& move(T&& value) noexcept {
  return static_cast<__remove_reference_t(T)&&>(value);
}
template <class T>
constexpr T&& forward(__remove_reference_t(T)& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr T&& forward(__remove_reference_t(T)&& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
constexpr void swap(T& a, T& b) noexcept {
  T kept = std::move(a);
  a = std::move(b);
  b = std::move(kept);
}
template <class T, class U = T>
constexpr T exchange(T& place, U&& value) {
  T before = std::move(place);
  place = std::forward<U>(value);
  return before;
}
template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;
template <class A, class B>
constexpr pair<__decay(A), __decay(B)> make_pair(A&& a, B&& b) {
  return {std::forward<A>(a), std::forward<B>(b)};
}
template <class T, T... i>
struct integer_sequence {
  static constexpr size_t size() noexcept { return sizeof...(i); }
};
template <class T, T n>
using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t... i>
using index_sequence = integer_sequence<size_t, i...>;
template <size_t n>
using make_index_sequence = __make_integer_seq<integer_sequence, size_t, n>;
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

#define KMUX_OPERATION(name, expression)                                           \
  template <class T = void>                                                        \
  struct name {                                                                    \
    constexpr auto operator()(const T& a, const T& b) const { return expression; } \
  };                                                                               \
  template <>                                                                      \
  struct name<void> {                                                              \
    template <class A, class B>                                                    \
    constexpr auto operator()(const A& a, const B& b) const {                      \
      return expression;                                                           \
    }                                                                              \
  };
KMUX_OPERATION(plus, a + b)
KMUX_OPERATION(minus, a - b)
KMUX_OPERATION(multiplies, a* b)
KMUX_OPERATION(divides, a / b)
KMUX_OPERATION(less, a < b)
KMUX_OPERATION(greater, a > b)
KMUX_OPERATION(less_equal, a <= b)
KMUX_OPERATION(greater_equal, a >= b)
KMUX_OPERATION(equal_to, a == b)
KMUX_OPERATION(not_equal_to, a != b)
KMUX_OPERATION(bit_and, a& b)
KMUX_OPERATION(bit_or, a | b)
KMUX_OPERATION(bit_xor, a ^ b)
#undef KMUX_OPERATION

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T, class F>
constexpr const T& min(const T& a, const T& b, F less) {
  return less(b, a) ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T, class F>
constexpr const T& max(const T& a, const T& b, F less) {
  return less(a, b) ? b : a;
}
template <class T, class F = less<>>
constexpr T min(initializer_list<T> list, F is_less = {}) {
  const T* least = list.begin();
  for (const T& element : list) least = is_less(element, *least) ? &element : least;
  return *least;
}
template <class T, class F = less<>>
constexpr T max(initializer_list<T> list, F is_less = {}) {
  const T* most = list.begin();
  for (const T& element : list) most = is_less(*most, element) ? &element : most;
  return *most;
}
template <class T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}
template <class I, class T>
constexpr void fill(I begin, I end, const T& value) {
  for (; begin != end; ++begin) *begin = value;
}
template <class I, class O>
constexpr O copy(I begin, I end, O to) {
  for (; begin != end; ++begin, ++to) *to = *begin;
  return to;
}
// Returns the first element that violates `is_before`, which holds for all elements before it and for none after it.
template <class I, class F>
constexpr I __partition_point(I begin, I end, F is_before) {
  for (auto count = end - begin; count > 0;) {
    const auto half = count / 2;
    if (is_before(*(begin + half))) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}
template <class I, class T>
constexpr I lower_bound(I begin, I end, const T& value) {
  return __partition_point(begin, end, [&](const auto& element) { return element < value; });
}
template <class I, class T>
constexpr I upper_bound(I begin, I end, const T& value) {
  return __partition_point(begin, end, [&](const auto& element) { return !(value < element); });
}

}  // namespace std

// Those of namespace std are declared in <tuple> alone: sources for NVRTC declare them on their own.
namespace cuda {
namespace std {

template <class>
struct tuple_size;
template <size_t, class>
struct tuple_element;

}  // namespace std
}  // namespace cuda
