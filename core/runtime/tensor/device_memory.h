#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "kmux/device.h"

namespace kmux {

/// A block of device memory and the uses that must complete before it is freed.
struct OwnedBlock {
  /// Work on another stream, up to `event`, uses the block. `owner` keeps the stream alive, so that its handle cannot
  /// be reused for another stream.
  struct Use {
    void* stream;
    void* event;
    Shared<void> owner;
    int device;  // of the stream; may be another device of the backend that copies to and from the block
  };
  Device device;
  void* address = nullptr;
  void* stream = nullptr;
  Shared<void> stream_owner;
  std::uint64_t capture = 0;  // of which the allocation is a node; 0: none
  std::thread::id thread = {};  // that allocated it: some handles name a separate stream in each thread
  std::vector<Use> uses = {};
  bool is_pinned = false;  // host memory: the host waits for its uses, so their events are timed
};

/// Device memory in the order of the stream that it was allocated on. It is freed in that order, after every use on
/// other streams, without a wait on the host:
///
/// | allocated   | its stream now              | freed                                           |
/// |-------------|-----------------------------|-------------------------------------------------|
/// | as usual    | is not captured             | on its stream                                   |
/// | as usual    | is captured, or in the way  | later: a graph frees only its own allocations   |
/// | in a capture| is in that capture          | on its stream, by a node                        |
/// | in a capture| is not, or in another       | by the graph, which owns it                     |
///
/// Threads: any.
class DeviceMemory {
 public:
  /// Allocates in the order of `stream`.
  ///
  /// Errors: those of the backend.
  static Result<Shared<DeviceMemory>> allocate(const Device& device, std::size_t bytes, StreamRef stream);
  /// Takes ownership of allocated memory, allocated in `capture` unless that is 0.
  DeviceMemory(const Device& device, void* address, std::size_t bytes, StreamRef stream, std::uint64_t capture);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  void* address() const { return block_.address; }
  std::size_t bytes() const { return bytes_; }
  void* stream() const { return block_.stream; }

  /// Frees the memory only after the work now on `stream`. Work that a capture records does not count as a use: a graph
  /// keeps no memory alive.
  ///
  /// Errors: those of the backend; the host has then waited for the stream if possible.
  Status used_on(StreamRef stream) { return used_on(stream, block_.device.ordinal()); }
  /// Overload for a stream of device `device` of the same backend.
  Status used_on(StreamRef stream, int device);

 private:
  OwnedBlock block_;
  const std::size_t bytes_;
};

/// Page-locked host memory. Since no stream can free it, the host waits for the copies from and to it.
///
/// Threads: any.
class PinnedMemory {
 public:
  /// Allocates memory that the devices of the backend of `device` can access.
  ///
  /// Errors: those of the backend.
  static Result<Shared<PinnedMemory>> allocate(const Device& device, std::size_t bytes);
  /// Takes ownership of allocated memory.
  PinnedMemory(const Device& device, void* address) : block_{.device = device, .address = address, .is_pinned = true} {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  void* address() const { return block_.address; }
  /// As DeviceMemory::used_on.
  Status used_on(StreamRef stream) { return used_on(stream, block_.device.ordinal()); }
  Status used_on(StreamRef stream, int device);

 private:
  OwnedBlock block_;
};

/// Device memory of kmux exported as DLPack tensors, by address. If a caller passes it back as a plain DLTensor, its
/// uses are still recorded.
///
/// Threads: any.   Lifetime: `add` and `remove` must be paired; a found block is valid as long as the tensor with that
/// address.
class ExportedMemory {
 public:
  static void add(DeviceMemory& memory);
  static void remove(DeviceMemory& memory) noexcept;
  /// Returns the memory that contains `address`, or null.
  static DeviceMemory* find(const void* address) noexcept;
};

/// Returns the capture that records `stream` of `device` now; 0 if none does.
Result<std::uint64_t> capture_of(const Device& device, void* stream);

/// Checks that work may be enqueued on `stream` and waited for.
///
/// Errors: invalid_argument if `stream` is under capture, or if work on it would invalidate a capture.
Status check_not_captured(const Device& device, StreamRef stream);

/// Frees a block by the table of `DeviceMemory`: now, in stream order, or after the capture of its stream has ended.
/// Failures are logged.
void release_block(OwnedBlock block) noexcept;

/// Frees the blocks that had to wait for a capture that has ended since. Nearly free if no block waits.
void release_deferred_blocks() noexcept;

}  // namespace kmux
