#pragma once

#include <cstdint>
#include <thread>

#include "process_tree.h"

namespace kmux::bench {

/// Watches the memory of what this process starts from now on.
///
/// Threads: one uses it; it looks about every millisecond from a thread of its own.
class MemoryWatch {
 public:
  MemoryWatch();

  /// Units: bytes. Looks a last time and ends: the most that `memory_under` this process has been.
  std::uint64_t stop();

 private:
  void look();
  Processes others_;
  std::uint64_t most_ = 0;  // of the thread until it has ended
  std::jthread thread_;
};

}  // namespace kmux::bench
