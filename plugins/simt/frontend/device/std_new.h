// The subset of <new> for device code: placement of objects in existing memory.
#pragma once

inline void* operator new(size_t, void* place) noexcept { return place; }
inline void* operator new[](size_t, void* place) noexcept { return place; }

namespace std {

template <class T>
constexpr T* launder(T* object) noexcept {
  return __builtin_launder(object);
}

}  // namespace std
