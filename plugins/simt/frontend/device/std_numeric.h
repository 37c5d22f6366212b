// The subset of <numeric> for device code.
#pragma once
#include <algorithm>

namespace std {

template <class I, class T, class F = plus<>>
constexpr T accumulate(I begin, I end, T all, F join = {}) {
  for (; begin != end; ++begin) all = join(std::move(all), *begin);
  return all;
}
template <class I, class J, class T, class F = plus<>, class G = multiplies<>>
constexpr T inner_product(I begin, I end, J other, T all, F join = {}, G pair = {}) {
  for (; begin != end; ++begin, ++other) all = join(std::move(all), pair(*begin, *other));
  return all;
}
template <class I, class O, class F = plus<>>
constexpr O partial_sum(I begin, I end, O to, F join = {}) {
  if (begin == end) return to;
  auto all = *begin;
  *to = all;
  while (++begin != end) *++to = all = join(std::move(all), *begin);
  return ++to;
}
template <class I, class T>
constexpr void iota(I begin, I end, T value) {
  for (; begin != end; ++begin, ++value) *begin = value;
}
template <class A, class B>
constexpr common_type_t<A, B> gcd(A a, B b) {
  using Both = common_type_t<A, B>;
  Both x = a < 0 ? -static_cast<Both>(a) : static_cast<Both>(a);
  Both y = b < 0 ? -static_cast<Both>(b) : static_cast<Both>(b);
  while (y != 0) {
    const Both rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <class A, class B>
constexpr common_type_t<A, B> lcm(A a, B b) {
  using Both = common_type_t<A, B>;
  if (a == 0 || b == 0) return 0;
  return std::gcd(a, Both(0)) / std::gcd(a, b) * std::gcd(b, Both(0));
}

}  // namespace std
