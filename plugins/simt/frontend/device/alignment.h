// nvcc accepts alignas after __shared__, where C++ accepts no standard attribute.
#pragma once

template <class T>
constexpr size_t kmux_alignment() {
  return alignof(T);
}
template <size_t n>
constexpr size_t kmux_alignment() {
  return n;
}
#define alignas(...) __attribute__((aligned(kmux_alignment<__VA_ARGS__>())))
