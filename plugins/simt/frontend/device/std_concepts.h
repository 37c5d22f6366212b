// The subset of <concepts> for device code.
#pragma once
#include <type_traits>

namespace std {

template <class A, class B>
concept same_as = __is_same(A, B) && __is_same(B, A);
template <class T, class Base>
concept derived_from = __is_base_of(Base, T) && __is_convertible(const volatile T*, const volatile Base*);
template <class From, class To>
concept convertible_to = __is_convertible(From, To) && requires { static_cast<To>(declval<From>()); };
template <class T>
concept integral = __is_integral(T);
template <class T>
concept signed_integral = integral<T> && __is_signed(T);
template <class T>
concept unsigned_integral = integral<T> && __is_unsigned(T);
template <class T>
concept floating_point = __is_floating_point(T);
template <class T, class... A>
concept constructible_from = __is_constructible(T, A...);
template <class T>
concept default_initializable = constructible_from<T> && requires { T{}; };
template <class T>
concept equality_comparable = requires(const __remove_reference_t(T)& a, const __remove_reference_t(T)& b) {
  { a == b } -> convertible_to<bool>;
  { a != b } -> convertible_to<bool>;
};
template <class T>
concept totally_ordered =
    equality_comparable<T> && requires(const __remove_reference_t(T)& a, const __remove_reference_t(T)& b) {
      { a < b } -> convertible_to<bool>;
      { a > b } -> convertible_to<bool>;
      { a <= b } -> convertible_to<bool>;
      { a >= b } -> convertible_to<bool>;
    };
template <class F, class... A>
concept invocable =
    requires(F&& function, A&&... arguments) { static_cast<F&&>(function)(static_cast<A&&>(arguments)...); };
template <class F, class... A>
concept predicate = invocable<F, A...> && convertible_to<invoke_result_t<F, A...>, bool>;

}  // namespace std
