#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "objects.h"

namespace kmux::fake_cuda {

/// The origin of an allocation: its stream and the callers of the driver.
struct AllocationPlace {
  CUstream stream = nullptr;
  int frame_count = 0;
  std::array<void*, 8> frames = {};

  /// Returns the place of the caller's caller, without the driver's own frames.
  static AllocationPlace here(CUstream stream);
  /// Example: "on stream 0x0 by a+0x10 (libx.so) < b+0x20 (program)"
  std::string text() const;
};

/// Host memory that stands for device memory. Its generation counts its allocations, so that a use can be matched to
/// the allocation that it was meant for.
struct Block {
  std::size_t capacity = 0;
  int device = 0;
  bool of_graph = false;  // its address belongs to an allocation node
  std::size_t bytes = 0;  // of the last allocation
  std::uint64_t generation = 0;  // of the last allocation, by the calls so far
  bool is_owned = false;  // ... and free was not called
  std::uint64_t reached = 0;  // the last allocation that was executed
  bool is_usable = false;  // ... and its free was not executed
  Timeline::Operation freed = 0;
  AllocationPlace place = {};
};

/// A pointer that an operation was launched with.
struct Use {
  CUdeviceptr address = 0;
  std::uintptr_t block = 0;
  std::uint64_t generation = 0;
  bool was_freed = false;  // before the operation was launched
};

/// The memory of all devices. Freed blocks are kept, filled with 0xdd, until `clear`. Guarded by the world's mutex.
class Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { clear(); }
  void clear();

  /// Returns a block for an allocation; 0 if the host is out of memory. `is_free_for` must return true if the
  /// allocation is ordered after the operation that freed the block.
  std::uintptr_t take(int device, std::size_t bytes, const std::function<bool(const Block&)>& is_free_for);
  /// Returns a block whose address belongs to a node of a graph; 0 if the host is out of memory.
  std::uintptr_t take_for_graph(int device, std::size_t bytes);
  Block* find(std::uintptr_t address);
  bool is_in_graph(CUdeviceptr address, std::size_t bytes) const;
  std::optional<Use> use_of(CUdeviceptr address) const;

  /// Returns the breach of a use that is executed now; empty if it is valid.
  std::string breach_of(const Use& use) const;
  /// Executes an allocation or a free. The second returns its breach; empty if it is valid.
  void execute(const AllocationNode& node);
  std::string execute(const FreeNode& node);

 private:
  std::uintptr_t make(int device, std::size_t bytes);
  std::map<std::uintptr_t, Block> blocks_;
};

/// Example: "0x7f10 (1024 bytes, allocated on stream 0x0 by main+0x10 (program))"
std::string block_text(CUdeviceptr address, const Block& block);

}  // namespace kmux::fake_cuda
