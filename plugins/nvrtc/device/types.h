// The subset of <type_traits> for device code.
#pragma once
#include <stddef.h>

namespace std {

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const noexcept { return v; }
  constexpr T operator()() const noexcept { return v; }
};
template <bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
  typedef T type;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <class...>
struct kmux_void {
  typedef void type;
};
template <class... T>
using void_t = typename kmux_void<T...>::type;
template <bool, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> : type_identity<T> {};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;
template <bool, class T, class>
struct conditional : type_identity<T> {};
template <class T, class F>
struct conditional<false, T, F> : type_identity<F> {};
template <bool condition, class T, class F>
using conditional_t = typename conditional<condition, T, F>::type;
template <class...>
struct conjunction : true_type {};
template <class T, class... More>
struct conjunction<T, More...> : conditional_t<bool(T::value), conjunction<More...>, false_type> {};
template <class...>
struct disjunction : false_type {};
template <class T, class... More>
struct disjunction<T, More...> : conditional_t<bool(T::value), true_type, disjunction<More...>> {};
template <class T>
struct negation : bool_constant<!bool(T::value)> {};

template <class A, class B>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};

template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
struct remove_volatile : type_identity<T> {};
template <class T>
struct remove_volatile<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T>
struct kmux_pointed : type_identity<T> {};
template <class T>
struct kmux_pointed<T*> : type_identity<T> {};
template <class T>
struct remove_pointer
    : conditional_t<
          is_same<typename remove_cv<T>::type, typename kmux_pointed<typename remove_cv<T>::type>::type>::value,
          type_identity<T>, kmux_pointed<typename remove_cv<T>::type>> {};
template <class T>
struct remove_extent : type_identity<T> {};
template <class T>
struct remove_extent<T[]> : type_identity<T> {};
template <class T, size_t n>
struct remove_extent<T[n]> : type_identity<T> {};
template <class T>
struct remove_all_extents : type_identity<T> {};
template <class T>
struct remove_all_extents<T[]> : remove_all_extents<T> {};
template <class T, size_t n>
struct remove_all_extents<T[n]> : remove_all_extents<T> {};
template <class T>
struct add_const : type_identity<const T> {};
template <class T>
struct add_volatile : type_identity<volatile T> {};
template <class T>
struct add_cv : type_identity<const volatile T> {};

template <class T>
type_identity<T&> kmux_lvalue(int);
template <class T>
type_identity<T> kmux_lvalue(...);
template <class T>
type_identity<T&&> kmux_rvalue(int);
template <class T>
type_identity<T> kmux_rvalue(...);
template <class T>
type_identity<typename remove_reference<T>::type*> kmux_address(int);
template <class T>
type_identity<T> kmux_address(...);
template <class T>
struct add_lvalue_reference : decltype(kmux_lvalue<T>(0)) {};
template <class T>
struct add_rvalue_reference : decltype(kmux_rvalue<T>(0)) {};
template <class T>
struct add_pointer : decltype(kmux_address<T>(0)) {};
template <class T>
typename add_rvalue_reference<T>::type declval() noexcept;

#define KMUX_CATEGORY(name, ...) \
  template <class T>             \
  struct name : false_type {};   \
  __VA_ARGS__
#define KMUX_IS(name, ...) \
  template <>              \
  struct name<__VA_ARGS__> : true_type {};
KMUX_CATEGORY(kmux_is_void, KMUX_IS(kmux_is_void, void))
KMUX_CATEGORY(kmux_is_integral,
              KMUX_IS(kmux_is_integral, bool) KMUX_IS(kmux_is_integral, char) KMUX_IS(kmux_is_integral, signed char)
                  KMUX_IS(kmux_is_integral, unsigned char) KMUX_IS(kmux_is_integral, wchar_t)
                      KMUX_IS(kmux_is_integral, char16_t) KMUX_IS(kmux_is_integral, char32_t)
                          KMUX_IS(kmux_is_integral, short) KMUX_IS(kmux_is_integral, unsigned short)
                              KMUX_IS(kmux_is_integral, int) KMUX_IS(kmux_is_integral, unsigned)
                                  KMUX_IS(kmux_is_integral, long) KMUX_IS(kmux_is_integral, unsigned long)
                                      KMUX_IS(kmux_is_integral, long long)
                                          KMUX_IS(kmux_is_integral, unsigned long long))
#if defined(__cpp_char8_t)
KMUX_IS(kmux_is_integral, char8_t)
#endif
KMUX_CATEGORY(kmux_is_floating,
              KMUX_IS(kmux_is_floating, float) KMUX_IS(kmux_is_floating, double) KMUX_IS(kmux_is_floating, long double))
KMUX_CATEGORY(kmux_is_null, KMUX_IS(kmux_is_null, decltype(nullptr)))
#undef KMUX_CATEGORY
#undef KMUX_IS
template <class T>
struct kmux_is_pointer : false_type {};
template <class T>
struct kmux_is_pointer<T*> : true_type {};

template <class T>
struct is_void : kmux_is_void<typename remove_cv<T>::type> {};
template <class T>
struct is_integral : kmux_is_integral<typename remove_cv<T>::type> {};
template <class T>
struct is_floating_point : kmux_is_floating<typename remove_cv<T>::type> {};
template <class T>
struct is_null_pointer : kmux_is_null<typename remove_cv<T>::type> {};
template <class T>
struct is_pointer : kmux_is_pointer<typename remove_cv<T>::type> {};
template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T>
struct is_const : false_type {};
template <class T>
struct is_const<const T> : true_type {};
template <class T>
struct is_volatile : false_type {};
template <class T>
struct is_volatile<volatile T> : true_type {};
template <class T>
struct is_lvalue_reference : false_type {};
template <class T>
struct is_lvalue_reference<T&> : true_type {};
template <class T>
struct is_rvalue_reference : false_type {};
template <class T>
struct is_rvalue_reference<T&&> : true_type {};
template <class T>
struct is_reference : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <class T>
struct is_array : false_type {};
template <class T>
struct is_array<T[]> : true_type {};
template <class T, size_t n>
struct is_array<T[n]> : true_type {};
template <class T>
struct is_function : bool_constant<!is_const<const T>::value && !is_reference<T>::value> {};
template <class T, bool = is_arithmetic<T>::value>
struct kmux_is_signed : false_type {};
template <class T>
struct kmux_is_signed<T, true> : bool_constant<(static_cast<T>(-1) < static_cast<T>(0))> {};
template <class T>
struct is_signed : kmux_is_signed<typename remove_cv<T>::type> {};
template <class T>
struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> {};

// Traits with a compiler builtin.
#define KMUX_ASKED(name) \
  template <class T>     \
  struct name : bool_constant<__##name(T)> {};
KMUX_ASKED(is_abstract)
KMUX_ASKED(is_class)
KMUX_ASKED(is_empty)
KMUX_ASKED(is_enum)
KMUX_ASKED(is_final)
KMUX_ASKED(is_polymorphic)
KMUX_ASKED(is_standard_layout)
KMUX_ASKED(is_trivial)
KMUX_ASKED(is_trivially_copyable)
KMUX_ASKED(is_union)
#undef KMUX_ASKED
template <class T>
struct is_pod : bool_constant<__is_trivial(T) && __is_standard_layout(T)> {};
template <class T>
struct is_scalar
    : bool_constant<is_arithmetic<T>::value || is_pointer<T>::value || is_enum<T>::value || is_null_pointer<T>::value> {
};
template <class T>
struct is_fundamental : bool_constant<is_arithmetic<T>::value || is_void<T>::value || is_null_pointer<T>::value> {};
template <class T>
struct is_object : bool_constant<!is_function<T>::value && !is_reference<T>::value && !is_void<T>::value> {};
template <class T>
struct is_compound : bool_constant<!is_fundamental<T>::value> {};
template <class A, class B>
struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class A, class B>
struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class A, class B>
struct is_assignable : bool_constant<__is_assignable(A, B)> {};
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T>
struct is_default_constructible : is_constructible<T> {};
template <class T>
struct is_copy_constructible : is_constructible<T, typename add_lvalue_reference<typename add_const<T>::type>::type> {};
template <class T>
struct is_move_constructible : is_constructible<T, typename add_rvalue_reference<T>::type> {};
template <class T>
struct is_trivially_destructible : bool_constant<__is_trivially_copyable(T)> {};
template <class T>
struct is_trivially_default_constructible : bool_constant<__is_trivially_constructible(T)> {};

template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
struct rank : integral_constant<size_t, 0> {};
template <class T>
struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, size_t n>
struct rank<T[n]> : integral_constant<size_t, rank<T>::value + 1> {};
template <class T, unsigned i = 0>
struct extent : integral_constant<size_t, 0> {};
template <class T, size_t n>
struct extent<T[n], 0> : integral_constant<size_t, n> {};
template <class T, size_t n, unsigned i>
struct extent<T[n], i> : extent<T, i - 1> {};
template <class T, unsigned i>
struct extent<T[], i> : extent<T, i - 1> {};
template <class T>
struct extent<T[], 0> : integral_constant<size_t, 0> {};

template <class T>
struct underlying_type : type_identity<__underlying_type(T)> {};
template <class T, class U = typename remove_reference<T>::type>
struct decay : conditional_t<is_array<U>::value, add_pointer<typename remove_extent<U>::type>,
                             conditional_t<is_function<U>::value, add_pointer<U>, remove_cv<U>>> {};

// The integers of a size: enumerations and char map to the integers of the same size.
template <size_t bytes>
struct kmux_of_size;
#define KMUX_SIZE(bytes, type)         \
  template <>                          \
  struct kmux_of_size<bytes> {         \
    typedef type is_signed;            \
    typedef unsigned type is_unsigned; \
  };
template <>
struct kmux_of_size<1> {
  typedef signed char is_signed;
  typedef unsigned char is_unsigned;
};
KMUX_SIZE(2, short)
KMUX_SIZE(4, int)
KMUX_SIZE(8, long)
#undef KMUX_SIZE
template <class From, class T>
struct kmux_same_cv : type_identity<T> {};
template <class From, class T>
struct kmux_same_cv<const From, T> : type_identity<const T> {};
template <class From, class T>
struct kmux_same_cv<volatile From, T> : type_identity<volatile T> {};
template <class T>
struct kmux_make_signed : type_identity<typename kmux_of_size<sizeof(T)>::is_signed> {};
template <>
struct kmux_make_signed<long long> : type_identity<long long> {};
template <>
struct kmux_make_signed<unsigned long long> : type_identity<long long> {};
template <class T>
struct kmux_make_unsigned : type_identity<typename kmux_of_size<sizeof(T)>::is_unsigned> {};
template <>
struct kmux_make_unsigned<long long> : type_identity<unsigned long long> {};
template <>
struct kmux_make_unsigned<unsigned long long> : type_identity<unsigned long long> {};
template <class T>
struct make_signed : kmux_same_cv<T, typename kmux_make_signed<typename remove_cv<T>::type>::type> {};
template <class T>
struct make_unsigned : kmux_same_cv<T, typename kmux_make_unsigned<typename remove_cv<T>::type>::type> {};

template <class...>
struct common_type;
template <class T>
struct common_type<T> : decay<T> {};
template <class A, class B>
struct common_type<A, B> : decay<decltype(true ? declval<A>() : declval<B>())> {};
template <class A, class B, class C, class... More>
struct common_type<A, B, C, More...> : common_type<typename common_type<A, B>::type, C, More...> {};

template <class F, class... A>
struct invoke_result : type_identity<decltype(declval<F>()(declval<A>()...))> {};
template <class F>
struct result_of;
template <class F, class... A>
struct result_of<F(A...)> : invoke_result<F, A...> {};
template <class F, class... A>
using invoke_result_t = typename invoke_result<F, A...>::type;
template <class F>
using result_of_t = typename result_of<F>::type;
template <class... T>
using common_type_t = typename common_type<T...>::type;
// clang-format off
#define KMUX_SHORT(name) \
  template <class T>     \
  using name##_t = typename name<T>::type;
KMUX_SHORT(add_const) KMUX_SHORT(add_cv) KMUX_SHORT(add_lvalue_reference) KMUX_SHORT(add_pointer)
KMUX_SHORT(add_rvalue_reference) KMUX_SHORT(add_volatile) KMUX_SHORT(decay) KMUX_SHORT(make_signed)
KMUX_SHORT(make_unsigned) KMUX_SHORT(remove_all_extents) KMUX_SHORT(remove_const) KMUX_SHORT(remove_cv)
KMUX_SHORT(remove_cvref) KMUX_SHORT(remove_extent) KMUX_SHORT(remove_pointer) KMUX_SHORT(remove_reference)
KMUX_SHORT(remove_volatile) KMUX_SHORT(underlying_type)
// clang-format on
#undef KMUX_SHORT

#if __cplusplus >= 201402L
// clang-format off
#define KMUX_VALUE(name) \
  template <class... T>  \
  constexpr auto name##_v = name<T...>::value;
KMUX_VALUE(alignment_of) KMUX_VALUE(conjunction) KMUX_VALUE(disjunction) KMUX_VALUE(is_abstract)
KMUX_VALUE(is_arithmetic) KMUX_VALUE(is_array) KMUX_VALUE(is_assignable) KMUX_VALUE(is_base_of) KMUX_VALUE(is_class)
KMUX_VALUE(is_compound) KMUX_VALUE(is_const) KMUX_VALUE(is_constructible) KMUX_VALUE(is_convertible)
KMUX_VALUE(is_copy_constructible) KMUX_VALUE(is_default_constructible) KMUX_VALUE(is_empty) KMUX_VALUE(is_enum)
KMUX_VALUE(is_final) KMUX_VALUE(is_floating_point) KMUX_VALUE(is_function) KMUX_VALUE(is_fundamental)
KMUX_VALUE(is_integral) KMUX_VALUE(is_lvalue_reference) KMUX_VALUE(is_move_constructible) KMUX_VALUE(is_null_pointer)
KMUX_VALUE(is_object) KMUX_VALUE(is_pod) KMUX_VALUE(is_pointer) KMUX_VALUE(is_polymorphic) KMUX_VALUE(is_reference)
KMUX_VALUE(is_rvalue_reference) KMUX_VALUE(is_same) KMUX_VALUE(is_scalar) KMUX_VALUE(is_signed)
KMUX_VALUE(is_standard_layout) KMUX_VALUE(is_trivial) KMUX_VALUE(is_trivially_copyable)
KMUX_VALUE(is_trivially_default_constructible) KMUX_VALUE(is_trivially_destructible) KMUX_VALUE(is_union)
KMUX_VALUE(is_unsigned) KMUX_VALUE(is_void) KMUX_VALUE(is_volatile) KMUX_VALUE(negation) KMUX_VALUE(rank)
// clang-format on
#undef KMUX_VALUE
                                                                        template <class T, unsigned i = 0>
                                                                        constexpr size_t extent_v = extent<T, i>::value;
#endif
#if __cplusplus >= 202002L
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }
#endif

}  // namespace std
