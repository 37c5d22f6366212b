#include "runtime/arena.h"

#include <cstdlib>

namespace kmux::cpu {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLeast = std::size_t{64} << 10;

struct Arena {
  ~Arena() { std::free(memory); }
  char* memory = nullptr;
  std::size_t bytes = 0;
};

}  // namespace

char* block_memory(std::size_t bytes) noexcept {
  static thread_local Arena arena;
  if (bytes <= arena.bytes && arena.memory != nullptr) [[likely]] {
    return arena.memory;
  }
  std::free(arena.memory);
  arena.bytes = bytes < kLeast ? kLeast : (bytes + kLine - 1) / kLine * kLine;
  arena.memory = static_cast<char*>(std::aligned_alloc(kLine, arena.bytes));
  if (arena.memory == nullptr) arena.bytes = 0;
  return arena.memory;
}

}  // namespace kmux::cpu
