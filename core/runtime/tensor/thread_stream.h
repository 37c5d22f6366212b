#pragma once

#include <cstdint>

namespace kmux {

/// Whether `stream` is no address but a name, which may stand for the default stream of the calling thread: another stream in
/// each thread.
///
/// Source: CUDA Driver API, CU_STREAM_LEGACY (1) and CU_STREAM_PER_THREAD (2); HIP has the same.
inline bool names_stream_of_thread(const void* stream) {
  constexpr std::uintptr_t kFirst = 2;
  constexpr std::uintptr_t kNames = 16;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle >= kFirst && handle < kNames;
}

}  // namespace kmux
