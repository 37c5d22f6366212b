// Copies by the threads of a group, which complete at the call.
#pragma once

// Each thread copies parts of `width` bytes.
template <size_t width, class G>
KMUX_DEVICE void kmux_copy(const G& group, void* to, const void* from, size_t bytes) {
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  const size_t first = group.thread_rank(), threads = group.size(), whole = bytes / width * width;
  for (size_t i = first * width; i < whole; i += threads * width) __builtin_memcpy(target + i, source + i, width);
  for (size_t i = whole + first; i < bytes; i += threads) target[i] = source[i];
}

// A group of the calling thread alone.
struct kmux_alone {
  static constexpr size_t thread_rank() { return 0; }
  static constexpr size_t size() { return 1; }
};
// The alignment of what a pointer to T names.
template <class T>
struct kmux_pointee {
  static constexpr size_t alignment = alignof(T);
};
template <>
struct kmux_pointee<void> {
  static constexpr size_t alignment = 1;
};
