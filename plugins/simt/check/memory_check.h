#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simt/check/fiber.h"
#include "simt/check/fiber_launch.h"
#include "simt/check/findings.h"
#include "simt/check/shared_windows.h"

namespace kmux::simt {

/// The shared memory of a block: its static variables, then the dynamic memory. If it is checked, unused bytes lie
/// between them.
class SharedMemory {
 public:
  struct Variable {
    std::string name;
    std::uint64_t begin;
    std::uint64_t bytes;
  };

  /// Places the variables of `kernel` at offsets; `place_in` gives them memory.
  SharedMemory(const kmux_cpu_fiber_kernel& kernel, std::uint64_t dynamic_bytes);
  /// Uses window `number` of `windows`, which must have `bytes` bytes.
  ///
  /// Lifetime: borrows.
  void place_in(const SharedWindows& windows, std::size_t number);

  /// Returns the bytes that code requests: the sum to which the limit of a block applies.
  std::uint64_t asked_bytes() const { return asked_bytes_; }
  std::size_t bytes() const { return bytes_; }
  char* begin() { return begin_; }
  char* variable(std::uint64_t number) { return begin() + variables_[number].begin; }
  char* dynamic() { return begin() + variables_.back().begin; }
  /// Fills the memory with the pattern of uninitialised bytes.
  void spoil();

  bool has(const char* address) const { return address >= begin_ && address < begin_ + bytes_; }
  /// Returns true if `address` is in the memory of another block of the cluster.
  bool is_of_peer(const char* address) const { return windows_->has(address) && !has(address); }
  std::uint64_t offset_of(const char* address) const { return static_cast<std::uint64_t>(address - begin_); }
  /// Returns the variable that contains all of `bytes` bytes from `offset` on, or null.
  const Variable* find(std::uint64_t offset, std::uint64_t bytes) const;
  /// Returns the variable nearest to `offset`.
  const Variable& nearest(std::uint64_t offset) const;

 private:
  std::vector<Variable> variables_;  // the last one is the dynamic memory
  std::uint64_t asked_bytes_ = 0;
  std::size_t bytes_ = 0;
  const SharedWindows* windows_ = nullptr;
  char* begin_ = nullptr;
};

/// The last writer and readers of each byte of a block's shared memory, and the barriers between which they ran.
class SharedShadow {
 public:
  /// An earlier access of another thread that nothing orders before this one.
  struct Conflict {
    const kmux_cpu_site* site;
    unsigned thread;
    bool was_write;
    std::uint64_t byte;  // the first that both access
  };
  struct Verdict {
    std::optional<std::uint64_t> unwritten;  // the first byte that no thread wrote
    std::optional<Conflict> conflict;
  };

  void resize(std::size_t bytes) { cells_.resize(bytes); }
  /// Marks all bytes as unwritten.
  void begin_block() {
    first_epoch_ = ++epoch_;
    next_epoch();  // no thread accesses memory in the first one: note_unit
  }
  /// Passes a barrier of the block.
  void next_epoch() { ++epoch_; }
  bool is_written(std::uint64_t offset) const {
    const Touch& writer = cells_[offset].writer;
    return writer.epoch >= first_epoch_ && !writer.is_of_nothing;
  }
  /// Marks the byte at `offset` as unwritten: its value came from an unwritten byte.
  void note_nothing(std::uint64_t offset) { cells_[offset].writer.is_of_nothing = true; }
  /// Marks bytes as written by a unit that works beside threads, in an order that its barriers know.
  void note_unit(std::uint64_t offset, std::uint64_t bytes);
  /// Records an access of `thread` to the bytes from `offset` on. `now`: their current content.
  Verdict note(const Thread& thread, const MemoryAccess& access, std::uint64_t offset, const char* now);

 private:
  struct Touch {
    std::uint64_t epoch = 0;  // 0: none
    std::uint32_t time = 0;  // the thread's count of __syncwarp calls
    std::uint16_t thread = 0;
    bool is_atomic = false;
    bool is_of_nothing = false;
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

/// The memory that a checked launch may access, and the check of each access to it.
class MemoryCheck {
 public:
  /// Creates the checks of a launch.
  ///
  /// Lifetime: borrows all, `extents` too.
  MemoryCheck(const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents, SharedMemory& shared,
              Findings& findings);

  void begin_block();
  void pass_barrier() { shadow_.next_epoch(); }
  /// Notes that a unit which works beside threads has written `bytes` bytes at `address`, in the block's memory.
  void note_unit(const char* address, std::uint64_t bytes);

  /// Returns the address for `access`: its own if that is valid, else the address of scratch memory.
  char* check(const Thread& thread, const MemoryAccess& access);
  /// Returns true if bytes may be copied from `from` to `to`. Unwritten bytes of shared memory may be copied, and count
  /// as unwritten at their destination.
  bool check_copy(const Thread& thread, const MemoryAccess& from, const MemoryAccess& to);
  /// Checks a record before a copy that may be made member by member. Reading padding or unused members is not an error,
  /// but reading a record with no written byte is.
  void check_record(const Thread& thread, const MemoryAccess& from, const char* to);
  /// Does the same as check() for an access to a variable of `bytes` bytes at `access.base`.
  char* check_variable(const Thread& thread, const MemoryAccess& access, std::uint64_t bytes);

 private:
  std::vector<bool> unwritten(const MemoryAccess& access) const;
  void report_unwritten(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable,
                        std::uint64_t offset);
  bool is_sound(const Thread& thread, const MemoryAccess& access);
  bool check_shared(const Thread& thread, const MemoryAccess& access);
  const kmux_cpu_extent* computed_from(const MemoryAccess& access) const;
  bool check_global(const Thread& thread, const MemoryAccess& access);
  void note_shared(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable);
  void report_conflict(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable,
                       const SharedShadow::Conflict& conflict);
  void report_outside(const Thread& thread, const MemoryAccess& access, const std::string& name, const char* begin,
                      std::uint64_t bytes);
  void report(Finding::Kind kind, const Thread& thread, const MemoryAccess& access, const std::string& rest,
              const std::string& why, const std::string& advice);
  char* nowhere(std::uint64_t bytes);

  std::vector<kmux_cpu_extent> known_;
  bool all_known_ = true;
  SharedMemory& shared_;
  Findings& findings_;
  SharedShadow shadow_;
  std::vector<std::max_align_t> nowhere_;
};

}  // namespace kmux::simt
