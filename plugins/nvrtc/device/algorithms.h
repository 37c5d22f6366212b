// The subset of <algorithm>, <functional>, <iterator>, <numeric> and <utility> for device code. The compiler has move and forward.
#pragma once
#include <type_traits>

namespace std {

template <class T>
constexpr typename enable_if<!is_array<T>::value>::type swap(T& a, T& b) noexcept {
  T first = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(first);
}
template <class T, size_t n>
constexpr void swap(T (&a)[n], T (&b)[n]) noexcept {
  for (size_t i = 0; i < n; ++i) std::swap(a[i], b[i]);
}
template <class T, class U = T>
constexpr T exchange(T& place, U&& value) {
  T before = static_cast<T&&>(place);
  place = static_cast<U&&>(value);
  return before;
}
template <class T>
constexpr const T& as_const(T& value) noexcept {
  return value;
}
template <class T>
constexpr T* addressof(T& value) noexcept {
  return __builtin_addressof(value);
}

struct piecewise_construct_t {};
template <size_t>
struct in_place_index_t {};
template <class A, class B>
struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  constexpr pair() : first(), second() {}
  constexpr pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D>
  constexpr pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
};
template <class A, class B>
constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return pair<decay_t<A>, decay_t<B>>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
constexpr bool operator==(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class A, class B>
constexpr bool operator!=(const pair<A, B>& a, const pair<A, B>& b) {
  return !(a == b);
}
template <class A, class B>
constexpr bool operator<(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}

template <class T, T... i>
struct integer_sequence {
  typedef T value_type;
  static constexpr size_t size() noexcept { return sizeof...(i); }
};
template <size_t... i>
using index_sequence = integer_sequence<size_t, i...>;
// Builds sequences by halves, to keep the instantiation depth of long ones low.
template <class A, class B>
struct kmux_joined;
template <class T, T... i, T... j>
struct kmux_joined<integer_sequence<T, i...>, integer_sequence<T, j...>>
    : type_identity<integer_sequence<T, i..., (T(sizeof...(i)) + j)...>> {};
template <class T, size_t n>
struct kmux_sequence : kmux_joined<typename kmux_sequence<T, n / 2>::type, typename kmux_sequence<T, n - n / 2>::type> {
};
template <class T>
struct kmux_sequence<T, 0> : type_identity<integer_sequence<T>> {};
template <class T>
struct kmux_sequence<T, 1> : type_identity<integer_sequence<T, 0>> {};
template <class T, T n>
using make_integer_sequence = typename kmux_sequence<T, static_cast<size_t>(n)>::type;
template <size_t n>
using make_index_sequence = make_integer_sequence<size_t, n>;
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

#define KMUX_OPERATION(name, expression)                                                                   \
  template <class T = void>                                                                                \
  struct name {                                                                                            \
    constexpr auto operator()(const T& a, const T& b) const -> decltype(expression) { return expression; } \
  };                                                                                                       \
  template <>                                                                                              \
  struct name<void> {                                                                                      \
    template <class A, class B>                                                                            \
    constexpr auto operator()(const A& a, const B& b) const -> decltype(expression) {                      \
      return expression;                                                                                   \
    }                                                                                                      \
  };
KMUX_OPERATION(plus, a + b)
KMUX_OPERATION(minus, a - b)
KMUX_OPERATION(multiplies, a* b)
KMUX_OPERATION(divides, a / b)
KMUX_OPERATION(modulus, a % b)
KMUX_OPERATION(less, a < b)
KMUX_OPERATION(greater, a > b)
KMUX_OPERATION(less_equal, a <= b)
KMUX_OPERATION(greater_equal, a >= b)
KMUX_OPERATION(equal_to, a == b)
KMUX_OPERATION(not_equal_to, a != b)
KMUX_OPERATION(logical_and, a&& b)
KMUX_OPERATION(logical_or, a || b)
KMUX_OPERATION(bit_and, a& b)
KMUX_OPERATION(bit_or, a | b)
KMUX_OPERATION(bit_xor, a ^ b)
#undef KMUX_OPERATION
template <class T = void>
struct negate {
  constexpr T operator()(const T& a) const { return -a; }
};
template <>
struct negate<void> {
  template <class A>
  constexpr auto operator()(const A& a) const -> decltype(-a) {
    return -a;
  }
};
template <class T = void>
struct logical_not {
  constexpr bool operator()(const T& a) const { return !a; }
};

template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T, class F>
constexpr const T& min(const T& a, const T& b, F is_less) {
  return is_less(b, a) ? b : a;
}
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T, class F>
constexpr const T& max(const T& a, const T& b, F is_less) {
  return is_less(a, b) ? b : a;
}
template <class T>
constexpr T min(initializer_list<T> list) {
  const T* least = list.begin();
  for (const T& element : list) least = element < *least ? &element : least;
  return *least;
}
template <class T>
constexpr T max(initializer_list<T> list) {
  const T* most = list.begin();
  for (const T& element : list) most = *most < element ? &element : most;
  return *most;
}
template <class T>
constexpr pair<const T&, const T&> minmax(const T& a, const T& b) {
  return b < a ? pair<const T&, const T&>(b, a) : pair<const T&, const T&>(a, b);
}
template <class T>
constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

template <class T>
struct iterator_traits;
template <class T>
struct iterator_traits<T*> {
  typedef T value_type;
  typedef T& reference;
  typedef T* pointer;
  typedef ptrdiff_t difference_type;
};
template <class I>
constexpr void advance(I& place, ptrdiff_t count) {
  place += count;
}
template <class I>
constexpr ptrdiff_t distance(I begin, I end) {
  return end - begin;
}
template <class I>
constexpr I next(I place, ptrdiff_t count = 1) {
  return place + count;
}
template <class I>
constexpr I prev(I place, ptrdiff_t count = 1) {
  return place - count;
}
template <class T, size_t n>
constexpr T* begin(T (&array)[n]) noexcept {
  return array;
}
template <class T, size_t n>
constexpr T* end(T (&array)[n]) noexcept {
  return array + n;
}
template <class C>
constexpr auto begin(C& all) -> decltype(all.begin()) {
  return all.begin();
}
template <class C>
constexpr auto end(C& all) -> decltype(all.end()) {
  return all.end();
}
template <class T, size_t n>
constexpr size_t size(const T (&)[n]) noexcept {
  return n;
}

template <class I, class T>
constexpr void fill(I begin, I end, const T& value) {
  for (; begin != end; ++begin) *begin = value;
}
template <class I, class N, class T>
constexpr I fill_n(I begin, N count, const T& value) {
  for (; count > 0; --count, ++begin) *begin = value;
  return begin;
}
template <class I, class O>
constexpr O copy(I begin, I end, O to) {
  for (; begin != end; ++begin, ++to) *to = *begin;
  return to;
}
template <class I, class N, class O>
constexpr O copy_n(I begin, N count, O to) {
  for (; count > 0; --count, ++begin, ++to) *to = *begin;
  return to;
}
template <class I, class O, class F>
constexpr O transform(I begin, I end, O to, F of) {
  for (; begin != end; ++begin, ++to) *to = of(*begin);
  return to;
}
template <class I, class F>
constexpr F for_each(I begin, I end, F of) {
  for (; begin != end; ++begin) of(*begin);
  return of;
}
template <class I>
constexpr void reverse(I begin, I end) {
  while (begin != end && begin != --end) std::swap(*begin++, *end);
}
template <class I, class T>
constexpr I find(I begin, I end, const T& value) {
  while (begin != end && !(*begin == value)) ++begin;
  return begin;
}
template <class I, class F>
constexpr I find_if(I begin, I end, F is) {
  while (begin != end && !is(*begin)) ++begin;
  return begin;
}
template <class I, class T>
constexpr ptrdiff_t count(I begin, I end, const T& value) {
  ptrdiff_t found = 0;
  for (; begin != end; ++begin) found += *begin == value;
  return found;
}
template <class I, class F>
constexpr bool all_of(I begin, I end, F is) {
  for (; begin != end; ++begin) {
    if (!is(*begin)) return false;
  }
  return true;
}
template <class I, class F>
constexpr bool any_of(I begin, I end, F is) {
  for (; begin != end; ++begin) {
    if (is(*begin)) return true;
  }
  return false;
}
template <class I, class F>
constexpr bool none_of(I begin, I end, F is) {
  return !std::any_of(begin, end, is);
}
template <class I, class J>
constexpr bool equal(I begin, I end, J other) {
  for (; begin != end; ++begin, ++other) {
    if (!(*begin == *other)) return false;
  }
  return true;
}
template <class I, class F = less<>>
constexpr I min_element(I begin, I end, F is_less = F()) {
  I least = begin;
  for (; begin != end; ++begin) least = is_less(*begin, *least) ? begin : least;
  return least;
}
template <class I, class F = less<>>
constexpr I max_element(I begin, I end, F is_less = F()) {
  I most = begin;
  for (; begin != end; ++begin) most = is_less(*most, *begin) ? begin : most;
  return most;
}
template <class I, class T, class F = less<>>
constexpr I lower_bound(I begin, I end, const T& value, F is_less = F()) {
  for (ptrdiff_t count = end - begin; count > 0;) {
    const ptrdiff_t half = count / 2;
    if (is_less(begin[half], value)) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}
// Returns true if not greater: the upper bound is the lower bound under this order.
template <class F>
struct kmux_not_greater {
  F is_less;
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return !is_less(b, a);
  }
};
template <class I, class T, class F = less<>>
constexpr I upper_bound(I begin, I end, const T& value, F is_less = F()) {
  return std::lower_bound(begin, end, value, kmux_not_greater<F>{is_less});
}
template <class I, class T>
constexpr bool binary_search(I begin, I end, const T& value) {
  const I found = std::lower_bound(begin, end, value);
  return found != end && !(value < *found);
}

template <class I, class T>
constexpr T accumulate(I begin, I end, T all) {
  for (; begin != end; ++begin) all = all + *begin;
  return all;
}
template <class I, class T, class F>
constexpr T accumulate(I begin, I end, T all, F join) {
  for (; begin != end; ++begin) all = join(all, *begin);
  return all;
}
template <class I, class J, class T>
constexpr T inner_product(I begin, I end, J other, T all) {
  for (; begin != end; ++begin, ++other) all = all + *begin * *other;
  return all;
}
template <class I, class T>
constexpr void iota(I begin, I end, T value) {
  for (; begin != end; ++begin, ++value) *begin = value;
}
template <class A, class B>
constexpr common_type_t<A, B> gcd(A a, B b) {
  common_type_t<A, B> x = a < 0 ? -a : a;
  common_type_t<A, B> y = b < 0 ? -b : b;
  while (y != 0) {
    const common_type_t<A, B> rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <class A, class B>
constexpr common_type_t<A, B> lcm(A a, B b) {
  if (a == 0 || b == 0) return 0;
  return std::gcd(a, common_type_t<A, B>(0)) / std::gcd(a, b) * std::gcd(b, common_type_t<A, B>(0));
}

}  // namespace std
