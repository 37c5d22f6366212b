#include "runtime/launch.h"

#include <string>

#include "kmux/plugin/words.h"

#include "runtime/arena.h"

namespace {

constexpr std::uint64_t kMostThreads = 1024;          // of a block, as on every GPU
constexpr std::uint64_t kMostSharedBytes = 227 << 10;  // as on the largest

std::uint64_t count(const unsigned (&extents)[3]) { return std::uint64_t{extents[0]} * extents[1] * extents[2]; }

int refuse(const kmux_cpu_grid& launch, const std::string& text) {
  kmux::write(launch.error, text);
  return KMUX_INVALID_ARGUMENT;
}

}  // namespace

int kmux_cpu_run(const kmux_cpu_grid* launch, kmux_cpu_blocks blocks, const void* arguments, std::uint64_t shared_bytes,
                 std::uint64_t frame_bytes, unsigned lanes) {
  const std::uint64_t threads = count(launch->block);
  if (threads == 0 || threads > kMostThreads) [[unlikely]] {
    return refuse(*launch,
                  "a block of " + std::to_string(threads) + " threads (there are 1 to 1024). Use a smaller block.");
  }
  const std::uint64_t shared = shared_bytes + launch->dynamic_bytes;
  if (shared > kMostSharedBytes) [[unlikely]] {
    return refuse(*launch, std::to_string(shared) + " bytes of shared memory (there are 232448). Use less.");
  }
  char* const memory = kmux::cpu::block_memory(shared + (threads + lanes - 1) / lanes * frame_bytes);
  if (memory == nullptr) [[unlikely]] {
    kmux::write(launch->error, "the machine has no memory left for a block. Use smaller tensors or free some.");
    return KMUX_UNAVAILABLE;
  }
  blocks(arguments, launch, 0, count(launch->grid), memory);
  return KMUX_OK;
}
