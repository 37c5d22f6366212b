#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "kmux/device.h"

namespace kmux {

/// A block of device memory and what it is freed behind.
struct OwnedBlock {
  /// What is on another stream, up to `event`, uses the block. `owner` keeps the stream from being destroyed and its handle
  /// from standing for another one.
  struct Use {
    void* stream;
    void* event;
    Shared<void> owner;
    int device;  // that the stream is one of: another one of the backend copies to and from the block
  };
  Device device;
  void* address = nullptr;
  void* stream = nullptr;
  Shared<void> stream_owner;
  std::uint64_t capture = 0;  // that the allocation is a node of; 0: none
  std::thread::id thread = {};  // that allocated it: some handles name another stream in each
  std::vector<Use> uses = {};
  bool is_pinned = false;  // of the host, which waits for its uses: their events have a time
};

/// Memory of a device in the order of the stream that it was allocated on. It is freed in that order, behind every use on
/// other streams, without a wait on the host:
///
/// | allocated   | its stream now              | freed                                           |
/// |-------------|-----------------------------|-------------------------------------------------|
/// | as usual    | is not captured             | on its stream                                   |
/// | as usual    | is captured, or in the way  | later: a graph can only free what it allocated  |
/// | in a capture| is in that capture          | on its stream, by a node                        |
/// | in a capture| is not, or in another       | by the graph, which owns it                     |
///
/// Threads: any.
class DeviceMemory {
 public:
  /// Errors: those of the backend.
  static Result<Shared<DeviceMemory>> allocate(const Device& device, std::size_t bytes, StreamRef stream);
  /// Takes over what was allocated, in `capture` if that is not 0.
  DeviceMemory(const Device& device, void* address, std::size_t bytes, StreamRef stream, std::uint64_t capture);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  void* address() const { return block_.address; }
  std::size_t bytes() const { return bytes_; }
  void* stream() const { return block_.stream; }

  /// Frees behind what is on `stream` by now. What a capture records is no use: a graph holds on to nothing.
  ///
  /// Errors: those of the backend; then the host has waited for the stream where that was possible.
  Status used_on(StreamRef stream) { return used_on(stream, block_.device.ordinal()); }
  /// The same for a stream of device `device` of the same backend.
  Status used_on(StreamRef stream, int device);

 private:
  OwnedBlock block_;
  const std::size_t bytes_;
};

/// Page-locked memory of the host. Since no stream can free it, the host waits for the copies from and to it.
///
/// Threads: any.
class PinnedMemory {
 public:
  /// Errors: those of the backend.
  static Result<Shared<PinnedMemory>> allocate(const Device& device, std::size_t bytes);
  /// Takes over what was allocated.
  PinnedMemory(const Device& device, void* address) : block_{.device = device, .address = address, .is_pinned = true} {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  void* address() const { return block_.address; }
  /// As of DeviceMemory.
  Status used_on(StreamRef stream) { return used_on(stream, block_.device.ordinal()); }
  Status used_on(StreamRef stream, int device);

 private:
  OwnedBlock block_;
};

/// Device memory of ours that was handed out as DLPack tensors, by address: who gives it back as a plain DLTensor still has
/// its uses recorded.
///
/// Threads: any.   Lifetime: `add` and `remove` in pairs; what is found lives as long as the tensor that led to it.
class ExportedMemory {
 public:
  static void add(DeviceMemory& memory);
  static void remove(DeviceMemory& memory) noexcept;
  /// The memory that `address` lies in; null if there is none.
  static DeviceMemory* find(const void* address) noexcept;
};

/// The capture that records `stream` of `device` now; 0: none does.
Result<std::uint64_t> capture_of(const Device& device, void* stream);

/// Errors: invalid_argument if `stream` is captured, or if work there would spoil a capture.
Status check_not_captured(const Device& device, StreamRef stream);

/// Frees a block as the table of `DeviceMemory` has it: now, in stream order, or once its stream is not captured any more.
/// Failures are logged.
void release_block(OwnedBlock block) noexcept;

/// Frees what had to wait for the end of a capture, where that has come. Nearly free where nothing waits.
void release_deferred_blocks() noexcept;

}  // namespace kmux
