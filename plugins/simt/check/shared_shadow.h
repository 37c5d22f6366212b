#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simt/check/clocks.h"
#include "simt/check/fiber_launch.h"

namespace kmux::simt {

/// An access to a byte of shared memory.
struct Touch {
  std::uint32_t epoch = 0;  // 0: none
  Time time = 0;
  Actor actor = 0;
  bool is_atomic = false;
  bool is_asynchronous = false;  // of a unit
  bool is_of_nothing = false;  // a write of a byte that no thread wrote
  const kmux_cpu_site* site = nullptr;
};

/// How the bytes of a tile are permuted: the driver's number of a swizzle.
using TileSwizzle = std::uint8_t;
inline constexpr TileSwizzle kUnknownSwizzle = 0xff;

/// An access of a unit that works beside threads.
struct UnitAccess {
  Actor actor;
  Time time;
  bool is_write;
  const kmux_cpu_site* site;
  TileSwizzle swizzle = kUnknownSwizzle;  // of a write: that of its tile; of a read: the one that it undoes
};

/// The last writer and readers of each byte of a block's shared memory, and when they accessed it.
class SharedShadow {
 public:
  /// An earlier access that nothing orders before this one.
  struct Conflict {
    Touch before;
    bool was_write;
    std::uint64_t byte;  // the first that both access
  };
  struct Verdict {
    std::optional<std::uint64_t> unwritten;  // the first byte that no thread wrote
    std::optional<Conflict> conflict;
    std::optional<Conflict> unfenced;  // a write that a unit cannot rely on yet
    std::optional<std::uint64_t> mbarrier;  // that is in use where the access writes
    std::optional<TileSwizzle> swizzle;  // another one than that of the access
  };

  /// `is_alone`: no thread of another block accesses the memory.
  void resize(std::size_t bytes, bool is_alone);
  /// Marks all bytes as unwritten.
  void begin_block();
  /// Notes a barrier of all threads of the block, whose clocks need not be compared for earlier accesses.
  void pass_barrier() { ++epoch_; }
  bool is_written(std::uint64_t offset) const;
  /// Marks the byte at `offset` as unwritten: its value came from an unwritten byte.
  void note_nothing(std::uint64_t offset);
  /// Notes that an mbarrier is at `offset`, or that it is not used any more.
  void note_mbarrier(std::uint64_t offset, bool is_there);
  /// Records an access of a thread to the bytes from `offset` on. `now`: their current content.
  Verdict note(const ThreadClock& clock, const MemoryAccess& access, std::uint64_t offset, const char* now);
  /// Records an access of a unit, which a thread with `clock` issues.
  Verdict note_unit(const ThreadClock& clock, const UnitAccess& access, std::uint64_t offset, std::uint64_t bytes);
  /// Makes the bytes that a thread has just written ones that a unit writes for it.
  void make_asynchronous(const UnitAccess& access, std::uint64_t offset, std::uint64_t bytes);

 private:
  struct Cell {
    Touch writer;
    Touch readers[2];  // of two threads, if there are several
  };
  /// 16 bytes, which units access together.
  struct Granule {
    std::uint32_t first_epoch = 0;  // of its block
    std::uint8_t readers_count = 0;
    TileSwizzle swizzle = kUnknownSwizzle;
    std::uint8_t mbarriers = 0;  // a bit for each half
    std::array<Touch, 8> readers;  // units
  };
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr std::uint64_t kGranuleBytes = 16;

  bool is_none(const Touch& touch) const { return touch.epoch < first_epoch_; }
  bool is_concurrent(const Touch& before, const ThreadClock& clock, bool is_atomic) const;
  const Touch* conflict_of(const Cell& cell, const ThreadClock& clock, const MemoryAccess& access, bool is_same) const;
  void add_reader(Cell& cell, const Touch& reader, const ThreadClock& clock);
  void check_unit(const Cell& cell, const ThreadClock& clock, const UnitAccess& access, std::uint64_t byte,
                  Verdict& verdict) const;
  Granule& granule_at(std::uint64_t offset);
  void check_granules(const ThreadClock& clock, Actor actor, std::uint64_t offset, std::uint64_t bytes,
                      Verdict& verdict);
  std::optional<std::uint64_t> mbarrier_in(std::uint64_t offset, std::uint64_t bytes);
  void end_granules(std::uint64_t offset, std::uint64_t bytes, TileSwizzle swizzle);
  void add_reader(Granule& granule, const Touch& reader, const ThreadClock& clock) const;
  const Cell& cell_of(std::uint64_t offset) const;
  Cell& split_cell(std::uint64_t offset);
  /// Calls `visit(cell, offset of its first byte)` for cells that cover the bytes exactly.
  template <class Visit>
  void for_each_cell(std::uint64_t offset, std::uint64_t bytes, const Visit& visit);

  std::vector<Cell> words_;  // of words whose bytes were always accessed together
  std::vector<std::uint32_t> splits_;  // of each word: 0, or 1 + its place in `parts_`
  std::vector<std::array<Cell, kWordBytes>> parts_;
  std::vector<Granule> granules_;  // empty until a unit accesses memory
  bool is_alone_ = true;
  std::uint32_t epoch_ = 0;
  std::uint32_t first_epoch_ = 0;  // of the running block
};

}  // namespace kmux::simt
