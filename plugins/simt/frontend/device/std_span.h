// std::span: a view of contiguous elements.
#pragma once
#include <type_traits>

namespace std {

inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);

template <class T, size_t n = dynamic_extent>
class span {
 public:
  using element_type = T;
  using value_type = __remove_cv(T);
  using size_type = size_t;
  using iterator = T*;
  static constexpr size_t extent = n;

  constexpr span() noexcept : data_(nullptr), size_(0) {}
  constexpr span(T* data, size_t size) : data_(data), size_(size) {}
  constexpr span(T* begin, T* end) : data_(begin), size_(static_cast<size_t>(end - begin)) {}
  template <size_t m>
  constexpr span(T (&array)[m]) noexcept : data_(array), size_(m) {}
  template <class U, size_t m>
    requires(__is_convertible(U (*)[], T (*)[]))
  constexpr span(const span<U, m>& other) noexcept : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return n == dynamic_extent ? size_ : n; }
  constexpr size_t size_bytes() const noexcept { return size() * sizeof(T); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr T& operator[](size_t i) const { return data_[i]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size() - 1]; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size(); }
  constexpr span<T> first(size_t count) const { return {data_, count}; }
  constexpr span<T> last(size_t count) const { return {end() - count, count}; }
  constexpr span<T> subspan(size_t from, size_t count = dynamic_extent) const {
    return {data_ + from, count == dynamic_extent ? size() - from : count};
  }

 private:
  T* data_;
  size_t size_;
};
template <class T>
span(T*, size_t) -> span<T>;
template <class T>
span(T*, T*) -> span<T>;
template <class T, size_t n>
span(T (&)[n]) -> span<T, n>;

}  // namespace std
