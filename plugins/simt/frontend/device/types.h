// The subset of <type_traits> for device code, and the names of C's types in namespace std.
#pragma once

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using nullptr_t = decltype(nullptr);
using ::free;
using ::malloc;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::printf;
enum class byte : unsigned char {};

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  constexpr operator T() const noexcept { return v; }
  constexpr T operator()() const noexcept { return v; }
};
template <bool v>
using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = T;
template <class...>
using void_t = void;
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
template <class... T>
inline constexpr bool conjunction_v = conjunction<T...>::value;
template <class... T>
inline constexpr bool disjunction_v = disjunction<T...>::value;
template <class T>
inline constexpr bool negation_v = negation<T>::value;

#define KMUX_ADDED(name, qualifiers)                  \
  template <class T>                                  \
  struct add_##name : type_identity<qualifiers T> {}; \
  template <class T>                                  \
  using add_##name##_t = qualifiers T;
KMUX_ADDED(const, const)
KMUX_ADDED(volatile, volatile)
KMUX_ADDED(cv, const volatile)
#undef KMUX_ADDED

// Traits with a compiler builtin.
#define KMUX_CHANGED(name, builtin) \
  template <class T>                \
  struct name {                     \
    using type = builtin(T);        \
  };                                \
  template <class T>                \
  using name##_t = builtin(T);
KMUX_CHANGED(add_lvalue_reference, __add_lvalue_reference)
KMUX_CHANGED(add_pointer, __add_pointer)
KMUX_CHANGED(add_rvalue_reference, __add_rvalue_reference)
KMUX_CHANGED(decay, __decay)
KMUX_CHANGED(make_signed, __make_signed)
KMUX_CHANGED(make_unsigned, __make_unsigned)
KMUX_CHANGED(remove_all_extents, __remove_all_extents)
KMUX_CHANGED(remove_const, __remove_const)
KMUX_CHANGED(remove_cv, __remove_cv)
KMUX_CHANGED(remove_cvref, __remove_cvref)
KMUX_CHANGED(remove_extent, __remove_extent)
KMUX_CHANGED(remove_pointer, __remove_pointer)
KMUX_CHANGED(remove_reference, __remove_reference_t)
KMUX_CHANGED(remove_volatile, __remove_volatile)
KMUX_CHANGED(underlying_type, __underlying_type)
#undef KMUX_CHANGED
#define KMUX_ASKED(name, builtin)             \
  template <class T>                          \
  struct name : bool_constant<builtin(T)> {}; \
  template <class T>                          \
  inline constexpr bool name##_v = builtin(T);
KMUX_ASKED(has_unique_object_representations, __has_unique_object_representations)
KMUX_ASKED(is_arithmetic, __is_arithmetic)
KMUX_ASKED(is_array, __is_array)
KMUX_ASKED(is_class, __is_class)
KMUX_ASKED(is_const, __is_const)
KMUX_ASKED(is_empty, __is_empty)
KMUX_ASKED(is_enum, __is_enum)
KMUX_ASKED(is_final, __is_final)
KMUX_ASKED(is_floating_point, __is_floating_point)
KMUX_ASKED(is_function, __is_function)
KMUX_ASKED(is_integral, __is_integral)
KMUX_ASKED(is_lvalue_reference, __is_lvalue_reference)
KMUX_ASKED(is_pointer, __is_pointer)
KMUX_ASKED(is_reference, __is_reference)
KMUX_ASKED(is_rvalue_reference, __is_rvalue_reference)
KMUX_ASKED(is_signed, __is_signed)
KMUX_ASKED(is_standard_layout, __is_standard_layout)
KMUX_ASKED(is_trivial, __is_trivial)
KMUX_ASKED(is_trivially_copyable, __is_trivially_copyable)
KMUX_ASKED(is_union, __is_union)
KMUX_ASKED(is_unsigned, __is_unsigned)
KMUX_ASKED(is_void, __is_void)
KMUX_ASKED(is_volatile, __is_volatile)
#undef KMUX_ASKED
#define KMUX_ASKED(name, builtin)                \
  template <class A, class B>                    \
  struct name : bool_constant<builtin(A, B)> {}; \
  template <class A, class B>                    \
  inline constexpr bool name##_v = builtin(A, B);
KMUX_ASKED(is_assignable, __is_assignable)
KMUX_ASKED(is_base_of, __is_base_of)
KMUX_ASKED(is_convertible, __is_convertible)
KMUX_ASKED(is_same, __is_same)
#undef KMUX_ASKED
template <class T, class... A>
struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A>
inline constexpr bool is_constructible_v = __is_constructible(T, A...);
template <class T>
struct is_default_constructible : bool_constant<__is_constructible(T)> {};
template <class T>
inline constexpr bool is_default_constructible_v = __is_constructible(T);
template <class T>
struct is_null_pointer : bool_constant<__is_same(__remove_cv(T), nullptr_t)> {};
template <class T>
inline constexpr bool is_null_pointer_v = __is_same(__remove_cv(T), nullptr_t);
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T>
struct rank : integral_constant<size_t, __array_rank(T)> {};
template <class T, unsigned i = 0>
struct extent : integral_constant<size_t, __array_extent(T, i)> {};
template <class T>
inline constexpr size_t alignment_of_v = alignof(T);
template <class T>
inline constexpr size_t rank_v = __array_rank(T);
template <class T, unsigned i = 0>
inline constexpr size_t extent_v = __array_extent(T, i);

template <class T>
__add_rvalue_reference(T) declval() noexcept;
template <class F, class... A>
struct invoke_result {
  using type = decltype(declval<F>()(declval<A>()...));
};
template <class F, class... A>
using invoke_result_t = typename invoke_result<F, A...>::type;
template <class T, class... More>
struct common_type;
template <class T>
struct common_type<T> : type_identity<__decay(T)> {};
template <class A, class B>
struct common_type<A, B> : type_identity<__decay(decltype(true ? declval<A>() : declval<B>()))> {};
template <class A, class B, class C, class... More>
struct common_type<A, B, C, More...> : common_type<typename common_type<A, B>::type, C, More...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

}  // namespace std

// A namespace rather than an alias, so that a source may add to it.
namespace cuda {
namespace std {
using namespace ::std;
#ifdef KMUX_CUDA_ARCH  // where CuTe may specialise it
template <class T>
struct is_reference : ::std::is_reference<T> {};
#endif
}  // namespace std
}  // namespace cuda
