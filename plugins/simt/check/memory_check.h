#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simt/check/fiber.h"
#include "simt/check/fiber_launch.h"
#include "simt/check/findings.h"
#include "simt/check/shared_shadow.h"
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

struct BlockGroup;

/// The memory that a checked launch may access, and the check of each access to it.
class MemoryCheck {
 public:
  /// Creates the checks of block `rank` of `group`, whose memory is `shared`.
  ///
  /// Lifetime: borrows all, `extents` too.
  MemoryCheck(const kmux_cpu_fiber_kernel& kernel, std::span<const kmux_cpu_extent> extents, SharedMemory& shared,
              Findings& findings, BlockGroup& group, unsigned rank);

  void begin_block();
  /// Checks that accesses of other blocks to the block's memory happened before the end of its threads.
  void end_block();
  /// Notes an access of a thread of another block, or a unit, to the block's memory or mbarriers.
  void note_foreign(const Thread& thread, Actor actor, Time time, const kmux_cpu_site* site);
  SharedShadow& shadow() { return shadow_; }
  /// Checks an access of a unit to the block's shared memory, which `thread` issues. `issuer`: the clock that
  /// orders it.
  void check_unit(const Thread& thread, const ThreadClock& issuer, const UnitAccess& access, const char* address,
                  std::uint64_t bytes);

  /// Makes bytes that the running thread has just written ones that a unit writes for it.
  void make_asynchronous(const UnitAccess& access, const char* address, std::uint64_t bytes);
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
  /// The last access of an actor that is not of the block.
  struct Foreign {
    Time time = 0;
    const kmux_cpu_site* site = nullptr;
    Index block = {};  // of the thread that issued it
    Index thread = {};
  };

  std::vector<bool> unwritten(const MemoryAccess& access) const;
  void report_unwritten(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable,
                        std::uint64_t offset);
  bool is_sound(const Thread& thread, const MemoryAccess& access);
  bool check_shared(const Thread& thread, const MemoryAccess& access);
  bool check_peer(const Thread& thread, const MemoryAccess& access);
  const kmux_cpu_extent* computed_from(const MemoryAccess& access) const;
  bool check_global(const Thread& thread, const MemoryAccess& access);
  std::string name_of(const SharedMemory::Variable& variable, const Thread& thread) const;
  void note_shared(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable);
  void report_conflict(const Thread& thread, const MemoryAccess& access, const SharedMemory::Variable& variable,
                       const SharedShadow::Conflict& conflict);
  void report_unit(Finding::Kind kind, const Thread& thread, const kmux_cpu_site* site, const std::string& access,
                   const SharedShadow::Conflict& conflict, const SharedMemory::Variable& variable);
  void report_mbarrier(const Thread& thread, const kmux_cpu_site* site, const std::string& access,
                       std::uint64_t offset);
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
  BlockGroup& group_;
  unsigned rank_;
  std::map<Actor, Foreign> foreign_;
  std::vector<std::max_align_t> nowhere_;
};

}  // namespace kmux::simt
