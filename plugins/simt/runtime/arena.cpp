#include "simt/runtime/arena.h"

#include <cstdlib>
#include <pthread.h>

namespace kmux::simt {

__thread Arena thread_arena;
__thread Arena stack_arena;

namespace {

constexpr std::size_t kLine = 64;
// Holds the largest shared memory of a block and frames of usual size, so an arena seldom grows. Untouched pages cost nothing.
constexpr std::size_t kMinArena = std::size_t{512} << 10;

pthread_once_t key_made = PTHREAD_ONCE_INIT;
pthread_key_t key;
bool has_key = false;

void release(Arena& arena) {
  std::free(arena.memory);
  arena = Arena{};
}

void release_all() {
  release(thread_arena);
  release(stack_arena);
}

void end_of_thread(void*) { release_all(); }

void make_key() { has_key = pthread_key_create(&key, end_of_thread) == 0; }

void fill(Arena& arena, std::size_t bytes) {
  arena.memory = static_cast<char*>(std::aligned_alloc(kLine, bytes));
  arena.bytes = arena.memory == nullptr ? 0 : bytes;
}

std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

Arena& grown_arena(std::size_t bytes, Arena& kept) noexcept {
  if (kept.is_taken || (kept.memory != nullptr && bytes <= kept.bytes)) return kept;
  pthread_once(&key_made, make_key);
  release(kept);
  fill(kept, bytes < kMinArena ? kMinArena : whole_lines(bytes));
  if (has_key) pthread_setspecific(key, &kept);
  return kept;
}

Arena& BlockMemory::other_arena(std::size_t bytes, Arena& kept) noexcept {
  if (!kept.is_taken) return grown_arena(bytes, kept);
  fill(own_, whole_lines(bytes));
  return own_;
}

void BlockMemory::release_own() noexcept { release(own_); }

void close_arenas() noexcept {
  if (!thread_arena.is_taken && !stack_arena.is_taken) release_all();
  if (has_key) pthread_key_delete(key);
  has_key = false;
}

}  // namespace kmux::simt
