#pragma once

#include <span>
#include <vector>

#include "check/access.h"
#include "check/block_memory.h"
#include "check/findings.h"
#include "check/shared_shadow.h"
#include "check/thread.h"

namespace kmux::cpu {

/// The memory that a checked launch may use, and what is wrong with each access to it.
class MemoryCheck {
 public:
  /// Lifetime: borrows all, `extents` too.
  MemoryCheck(const kmux_cpu_kernel& kernel, std::span<const kmux_cpu_extent> extents, BlockMemory& shared,
              Findings& findings);

  void begin_block();
  void pass_barrier() { shadow_.next_epoch(); }

  /// Where `access` shall go: to its address, or, if it may not go there, to memory that means nothing.
  char* check(const Thread& thread, const MemoryAccess& access);
  /// The same for an access to a variable of `bytes` bytes at `access.base`.
  char* check_variable(const Thread& thread, const MemoryAccess& access, std::uint64_t bytes);

 private:
  bool is_sound(const Thread& thread, const MemoryAccess& access);
  bool check_shared(const Thread& thread, const MemoryAccess& access);
  bool check_global(const Thread& thread, const MemoryAccess& access);
  void note_shared(const Thread& thread, const MemoryAccess& access, const BlockMemory::Variable& variable);
  void report_conflict(const Thread& thread, const MemoryAccess& access, const BlockMemory::Variable& variable,
                       const SharedShadow::Conflict& conflict);
  void report_outside(const Thread& thread, const MemoryAccess& access, const std::string& name, const char* begin,
                      std::uint64_t bytes);
  void report(Finding::Kind kind, const Thread& thread, const MemoryAccess& access, const std::string& rest,
              const std::string& why, const std::string& advice);
  char* nowhere(std::uint64_t bytes);

  std::vector<kmux_cpu_extent> known_;
  bool all_known_ = true;
  BlockMemory& shared_;
  Findings& findings_;
  SharedShadow shadow_;
  std::vector<std::max_align_t> nowhere_;
};

}  // namespace kmux::cpu
