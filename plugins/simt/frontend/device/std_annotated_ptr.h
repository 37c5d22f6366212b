// cuda::annotated_ptr: pointers with advice about caches, which a processor's need not get.
#pragma once
#include <type_traits>

namespace cuda {

struct access_property {
  struct shared {};
  struct global {};
  struct normal {};
  struct streaming {};
  struct persisting {};

  access_property() = default;
  template <class Property>
  constexpr access_property(Property) {}
  template <class First, class Second>
  constexpr access_property(First, float, Second) {}
};

template <class T, class Property>
class annotated_ptr {
 public:
  using value_type = T;
  using reference = T&;
  using pointer = T*;

  annotated_ptr() = default;
  constexpr explicit annotated_ptr(T* p) : p_(p) {}
  template <class Other>
  constexpr annotated_ptr(T* p, Other) : p_(p) {}
  template <class U, class Other>
  constexpr annotated_ptr(const annotated_ptr<U, Other>& other) : p_(other.get()) {}

  constexpr T& operator*() const { return *p_; }
  constexpr T* operator->() const { return p_; }
  constexpr T& operator[](ptrdiff_t i) const { return p_[i]; }
  constexpr ptrdiff_t operator-(annotated_ptr other) const { return p_ - other.p_; }
  constexpr explicit operator bool() const { return p_ != nullptr; }
  constexpr T* get() const { return p_; }

 private:
  T* p_ = nullptr;
};

template <class T, class Property>
KMUX_DEVICE T* associate_access_property(T* p, Property) {
  return p;
}
template <class Shape, class Property>
KMUX_DEVICE void apply_access_property(const volatile void*, const Shape&, Property) {}
// Discarded memory may have any value.
KMUX_DEVICE void discard_memory(volatile void*, size_t) {}

}  // namespace cuda
