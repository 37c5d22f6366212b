// std::array, for backend nvrtc as well.
#include <cstddef>

// In C++11 a constexpr member function is const.
#if __cplusplus >= 201402L
#define KMUX_CHANGING constexpr
#else
#define KMUX_CHANGING inline
#endif

namespace std {

template <class T, size_t n>
struct array {
  typedef T value_type;
  typedef size_t size_type;
  typedef T* iterator;
  typedef const T* const_iterator;
  T elements[n == 0 ? 1 : n];
  KMUX_CHANGING T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  KMUX_CHANGING T& at(size_t i) { return elements[i]; }
  KMUX_CHANGING T& front() { return elements[0]; }
  KMUX_CHANGING T& back() { return elements[n - 1]; }
  constexpr const T& at(size_t i) const { return elements[i]; }
  constexpr const T& front() const { return elements[0]; }
  constexpr const T& back() const { return elements[n - 1]; }
  KMUX_CHANGING T* data() noexcept { return elements; }
  constexpr const T* data() const noexcept { return elements; }
  KMUX_CHANGING T* begin() noexcept { return elements; }
  constexpr const T* begin() const noexcept { return elements; }
  KMUX_CHANGING T* end() noexcept { return elements + n; }
  constexpr const T* end() const noexcept { return elements + n; }
  static constexpr size_t size() noexcept { return n; }
  static constexpr size_t max_size() noexcept { return n; }
  static constexpr bool empty() noexcept { return n == 0; }
  KMUX_CHANGING void fill(const T& value) {
    for (size_t i = 0; i < n; ++i) elements[i] = value;
  }
};
template <size_t i, class T, size_t n>
KMUX_CHANGING T& get(array<T, n>& all) noexcept {
  return all[i];
}
template <size_t i, class T, size_t n>
constexpr const T& get(const array<T, n>& all) noexcept {
  return all[i];
}
template <class T, size_t n>
KMUX_CHANGING bool operator==(const array<T, n>& a, const array<T, n>& b) {
  for (size_t i = 0; i < n; ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}
#if __cplusplus >= 201703L
template <class T, class... More>
array(T, More...) -> array<T, 1 + sizeof...(More)>;
#endif

}  // namespace std
#undef KMUX_CHANGING
