// nvcc takes alignas behind __shared__, where C++ takes no attribute of its own.
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
