#pragma once

#include <cstdint>
#include <thread>

namespace kmux {

/// Whether `stream` is no address but a name, which may stand for the default stream of the calling thread: another stream in
/// each thread.
///
/// Source: the headers of drivers, which number 1 the default stream of all threads and 2 that of the calling one.
inline bool names_stream_of_thread(const void* stream) {
  constexpr std::uintptr_t kFirst = 2;
  constexpr std::uintptr_t kNames = 16;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  return handle >= kFirst && handle < kNames;
}

/// Whether `stream`, as thread `owner` names it, is another stream than the one that the calling thread names so.
inline bool names_stream_of_another(const void* stream, std::thread::id owner) {
  return names_stream_of_thread(stream) && owner != std::this_thread::get_id();
}

}  // namespace kmux
