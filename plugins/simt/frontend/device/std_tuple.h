// SPDX-License-Identifier: Apache-2.0
// std::tuple and the protocol of structured bindings. CuTe and libcu++ specialise the traits of namespace cuda::std, the
// compiler reads those of namespace std, so these are separate templates.
#pragma once
#include <array>
#include <type_traits>
#include <utility>

template <size_t i, class T>
struct kmux_element {
  T value;
  constexpr kmux_element() : value() {}
  template <class U>
  constexpr explicit kmux_element(int, U&& from) : value(static_cast<U&&>(from)) {}
};
template <class, class...>
struct kmux_elements;
template <size_t... i, class... T>
struct kmux_elements<std::index_sequence<i...>, T...> : kmux_element<i, T>... {
  constexpr kmux_elements() = default;
  template <class... U>
  constexpr explicit kmux_elements(int, U&&... from) : kmux_element<i, T>(0, static_cast<U&&>(from))... {}
  template <class Other>
  constexpr void assign(const Other& other) {
    int all[] = {0, (static_cast<kmux_element<i, T>&>(*this).value = get<i>(other), 0)...};
    (void)all;
  }
};

namespace std {

template <class...>
struct tuple_size;  // a pack as in CuTe, which declares both where NVRTC compiles it
template <size_t, class...>
struct tuple_element;

template <class... T>
class tuple : public kmux_elements<make_index_sequence<sizeof...(T)>, T...> {
  using elements = kmux_elements<make_index_sequence<sizeof...(T)>, T...>;

 public:
  constexpr tuple() = default;
  template <class... U, class = enable_if_t<(sizeof...(U) > 0) && sizeof...(U) == sizeof...(T) &&
                                            conjunction<is_constructible<T, U&&>...>::value>>
  constexpr tuple(U&&... from) : elements(0, static_cast<U&&>(from)...) {}
  template <class... U>
  constexpr tuple& operator=(const tuple<U...>& other) {
    this->assign(other);
    return *this;
  }
};
template <class... T>
tuple(T...) -> tuple<T...>;

template <size_t i, class T>
constexpr T& kmux_get(kmux_element<i, T>& element) noexcept {
  return element.value;
}
template <size_t i, class T>
constexpr const T& kmux_get(const kmux_element<i, T>& element) noexcept {
  return element.value;
}
template <size_t i, class... T>
constexpr auto& get(tuple<T...>& all) noexcept {
  return kmux_get<i>(all);
}
template <size_t i, class... T>
constexpr const auto& get(const tuple<T...>& all) noexcept {
  return kmux_get<i>(all);
}
template <size_t i, class... T>
constexpr __type_pack_element<i, T...>&& get(tuple<T...>&& all) noexcept {
  return static_cast<__type_pack_element<i, T...>&&>(kmux_get<i>(all));
}
template <class... T>
constexpr tuple<__decay(T)...> make_tuple(T&&... values) {
  return tuple<__decay(T)...>(static_cast<T&&>(values)...);
}
template <class... T>
constexpr tuple<T&...> tie(T&... places) noexcept {
  return tuple<T&...>(places...);
}

}  // namespace std

// The first type, for a specialisation that only exists where the others do.
template <class T, class...>
using kmux_first = T;

#define KMUX_TUPLE(space)                                                                              \
  namespace space {                                                                                    \
  template <class... T>                                                                                \
  struct tuple_size<::std::tuple<T...>> : ::std::integral_constant<size_t, sizeof...(T)> {};           \
  template <size_t i, class... T>                                                                      \
  struct tuple_element<i, ::std::tuple<T...>> : ::std::type_identity<__type_pack_element<i, T...>> {}; \
  template <class T, size_t n>                                                                         \
  struct tuple_size<::std::array<T, n>> : ::std::integral_constant<size_t, n> {};                      \
  template <size_t i, class T, size_t n>                                                               \
  struct tuple_element<i, ::std::array<T, n>> : ::std::type_identity<T> {};                            \
  template <class T>                                                                                   \
  struct tuple_size<kmux_first<const T, decltype(sizeof(tuple_size<T>))>> : tuple_size<T> {};          \
  template <size_t i, class T>                                                                         \
  struct tuple_element<i, const T> {                                                                   \
    using type = const typename tuple_element<i, T>::type;                                             \
  };                                                                                                   \
  template <class T>                                                                                   \
  inline constexpr size_t tuple_size_v = tuple_size<T>::value;                                         \
  template <size_t i, class T>                                                                         \
  using tuple_element_t = typename tuple_element<i, T>::type;                                          \
  }
KMUX_TUPLE(std)
namespace cuda {
KMUX_TUPLE(std)
}
#undef KMUX_TUPLE
