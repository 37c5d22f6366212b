#include "blocks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "line.h"

namespace kmux::fake_cuda {
namespace {

constexpr std::size_t kAlignment = 256;                 // of the blocks of a pool
constexpr std::size_t kSpoiled = std::size_t{1} << 20;  // fills at most this much of a block, which is fast enough
constexpr int kNewByte = 0xcd;
constexpr int kFreedByte = 0xdd;

void fill(std::uintptr_t address, int byte, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(address), byte, std::min(bytes, kSpoiled));
}

}  // namespace

void Blocks::clear() {
  for (const auto& [address, block] : blocks_) std::free(reinterpret_cast<void*>(address));
  blocks_.clear();
}

std::uintptr_t Blocks::make(int device, std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0) return 0;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  fill(address, kNewByte, bytes);
  Block& block = blocks_[address];
  block.capacity = bytes, block.device = device;
  return address;
}

std::uintptr_t Blocks::take(int device, std::size_t bytes, const std::function<bool(const Block&)>& is_free_for) {
  std::uintptr_t best = 0;
  for (const auto& [address, block] : blocks_) {
    const bool fits = block.capacity >= bytes && block.capacity / 2 <= bytes && block.device == device;
    if (!fits || block.of_graph || block.is_owned) continue;
    // Prefers the block freed last: its free is the least likely to have executed, so it exposes most misuse.
    if (best != 0 && blocks_.at(best).freed >= block.freed) continue;
    if (is_free_for(block)) best = address;
  }
  return best != 0 ? best : make(device, bytes);
}

std::uintptr_t Blocks::take_for_graph(int device, std::size_t bytes) {
  const std::uintptr_t address = make(device, bytes);
  if (address != 0) blocks_.at(address).of_graph = true, blocks_.at(address).bytes = bytes;
  return address;
}

Block* Blocks::find(std::uintptr_t address) {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}

std::optional<Use> Blocks::use_of(CUdeviceptr address) const {
  auto next = blocks_.upper_bound(static_cast<std::uintptr_t>(address));
  if (next == blocks_.begin()) return std::nullopt;
  const auto& [begin, block] = *--next;
  if (address - begin >= block.capacity) return std::nullopt;
  return Use{address, begin, block.generation, !block.is_owned};
}

bool Blocks::is_in_graph(CUdeviceptr address, std::size_t bytes) const {
  const std::optional<Use> use = use_of(address);
  if (!use) return false;
  const Block& block = blocks_.at(use->block);
  return block.of_graph && bytes <= block.bytes - std::min(block.bytes, std::size_t{address} - use->block);
}

std::string Blocks::breach_of(const Use& use) const {
  const auto found = blocks_.find(use.block);
  if (found == blocks_.end()) return "";
  const Block& block = found->second;
  if (!use.was_freed && block.is_usable && block.reached == use.generation) return "";
  const bool is_early = !use.was_freed && block.reached < use.generation;
  return block_text(use.address, block) + (is_early ? " before its allocation" : " after it was freed");
}

void Blocks::execute(const AllocationNode& node) {
  Block& block = blocks_.at(node.block);
  block.reached = node.generation, block.is_usable = true;
}

std::string Blocks::execute(const FreeNode& node) {
  Block& block = blocks_.at(node.block);
  const bool is_right = block.is_usable && block.reached == node.generation;
  block.reached = std::max(block.reached, node.generation), block.is_usable = false;
  fill(node.block, kFreedByte, block.capacity);
  return is_right ? "" : "cuMemFreeAsync frees " + block_text(node.block, block) + " before its allocation";
}

std::string block_text(CUdeviceptr address, const Block& block) {
  std::string text;
  append(text, Hex{address});
  return text + " (" + std::to_string(block.bytes) + " bytes, allocated " + block.place.text() + ")";
}

}  // namespace kmux::fake_cuda
