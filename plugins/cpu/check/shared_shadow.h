#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/access.h"
#include "check/thread.h"

namespace kmux::cpu {

/// Who last wrote and read each byte of a block's shared memory, and between which barriers.
class SharedShadow {
 public:
  /// What another thread did without anything between that orders the two.
  struct Conflict {
    const kmux_cpu_site* site;
    unsigned thread;
    bool was_write;
    std::uint64_t byte;  // the first that both touch
  };
  struct Verdict {
    std::optional<std::uint64_t> unwritten;  // the first byte that nobody wrote
    std::optional<Conflict> conflict;
  };

  void resize(std::size_t bytes) { cells_.resize(bytes); }
  /// Nothing is written.
  void begin_block() { first_epoch_ = ++epoch_; }
  /// A barrier of the block.
  void next_epoch() { ++epoch_; }
  /// Notes what `thread` does to the bytes from `offset` on. `now`: what is there.
  Verdict note(const Thread& thread, const MemoryAccess& access, std::uint64_t offset, const char* now);

 private:
  struct Touch {
    std::uint64_t epoch = 0;  // 0: nobody
    std::uint32_t time = 0;   // of its warp's __syncwarp
    std::uint16_t thread = 0;
    bool is_atomic = false;
    const kmux_cpu_site* site = nullptr;
  };
  struct Cell {
    Touch writer;
    Touch readers[2];  // of two threads, if there are several
  };

  bool is_concurrent(const Touch& before, const Thread& thread, bool is_atomic) const;
  const Touch* conflict_of(const Cell& cell, const Thread& thread, const MemoryAccess& access, bool is_same) const;
  void add_reader(Cell& cell, const Touch& reader, const Thread& thread);

  std::vector<Cell> cells_;
  std::uint64_t epoch_ = 0;
  std::uint64_t first_epoch_ = 0;
};

}  // namespace kmux::cpu
