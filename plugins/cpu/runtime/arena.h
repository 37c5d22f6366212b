#pragma once

#include <cstddef>
#include <cstdint>

namespace kmux::cpu {

/// Memory of a thread for the block that it runs.
struct Arena {
  char* memory;
  std::size_t bytes;
  bool is_taken;
};

extern __thread Arena thread_arena;  // for blocks
extern __thread Arena stack_arena;  // for a stack (runtime/stack.h)

/// `kept`, one of the calling thread's: with at least `bytes`, if there is as much memory. Kept until the thread ends.
Arena& grown_arena(std::size_t bytes, Arena& kept) noexcept;

/// At least `bytes` for the blocks that the calling thread runs, aligned to a cache line, until this object ends. Not on the thread's
/// stack, which may be small. A launch from within a block has memory of its own.
///
/// Threads: any, each has its own.
class BlockMemory {
 public:
  explicit BlockMemory(std::size_t bytes, Arena& kept = thread_arena) noexcept {
    if (bytes == 0) return;
    Arena* arena = &kept;
    if (bytes > arena->bytes || arena->is_taken) arena = &other_arena(bytes, kept);
    if (arena->memory == nullptr) return;
    arena->is_taken = true;
    memory_ = arena->memory;
    arena_ = arena;
  }
  ~BlockMemory() {
    if (arena_ != nullptr) give_back();
  }
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  /// Null if nothing was asked for or there is none.
  char* get() const { return memory_; }

 private:
  Arena& other_arena(std::size_t bytes, Arena& kept) noexcept;
  void give_back() noexcept {
    arena_->is_taken = false;
    if (arena_ == &own_) release_own();
  }
  void release_own() noexcept;

  char* memory_ = nullptr;
  Arena* arena_ = nullptr;
  Arena own_{};  // where the thread's is taken
};

/// Gives back the calling thread's memory, and is the last call of a library that is closed.
void close_arenas() noexcept;

}  // namespace kmux::cpu
