// cooperative_groups::memcpy_async. The threads of a group copy together at the call, so that waiting for the copy only
// synchronizes the group's threads.
#pragma once
#include <cooperative_groups.h>

#include <kmux/copies.h>

namespace cooperative_groups {

// `bytes`: a number, or an object whose type states the common alignment.
template <class G, class T, class Size>
KMUX_DEVICE void memcpy_async(const G& group, T* to, const T* from, const Size& bytes) {
  kmux_copy<alignof(T)>(group, to, from, static_cast<size_t>(bytes));
}
template <class G, class Size>
KMUX_DEVICE void memcpy_async(const G& group, void* to, const void* from, const Size& bytes) {
  kmux_copy<1>(group, to, from, static_cast<size_t>(bytes));
}
template <class G, class T, class Room, class Count>
KMUX_DEVICE void memcpy_async(const G& group, T* to, const Room& room, const T* from, const Count& count) {
  const size_t most = static_cast<size_t>(room), all = static_cast<size_t>(count);
  kmux_copy<alignof(T)>(group, to, from, sizeof(T) * (all < most ? all : most));
}

template <class G>
KMUX_DEVICE void wait(const G& group) {
  group.sync();
}
template <unsigned stages, class G>
KMUX_DEVICE void wait_prior(const G& group) {
  group.sync();
}

}  // namespace cooperative_groups
