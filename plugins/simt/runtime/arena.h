#pragma once

#include <cstddef>
#include <cstdint>

namespace kmux::simt {

/// Scratch memory of a thread for the block that it runs.
struct Arena {
  char* memory;
  std::size_t bytes;
  bool is_taken;
};

extern __thread Arena thread_arena;  // for blocks
extern __thread Arena stack_arena;  // for a stack (runtime/stack.h)

/// Returns `kept`, an arena of the calling thread, grown to at least `bytes` if memory suffices. Owned by the thread until it exits.
Arena& grown_arena(std::size_t bytes, Arena& kept) noexcept;

/// Owns at least `bytes` for the blocks that the calling thread runs, aligned to a cache line, until destroyed. Not on
/// the thread's stack, which may be small. A launch from within a block gets separate memory.
///
/// Threads: any, each has a separate arena.
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

  /// Returns null if zero bytes were requested or the allocation failed. Valid until this object is destroyed.
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
  Arena own_{};  // used if the thread's arena is taken
};

/// Frees the calling thread's arenas. Must be the last call into a library that is being closed.
void close_arenas() noexcept;

}  // namespace kmux::simt
