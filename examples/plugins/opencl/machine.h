#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.hpp"

#include "api.h"
#include "memory.h"

namespace kmux::opencl {

/// What a driver has about one of its devices. No context is created to learn it.
struct DeviceInfo {
  Platform platform = nullptr;
  DeviceId id = nullptr;
  std::string name;              // as the driver writes it
  std::string arch;              // the same as a word: what targets call it
  std::string platform_version;  // "OpenCL 3.0 PoCL 3.1"
  std::string driver_version;
  std::string version;           // "OpenCL 3.0 pocl ..."
  std::vector<std::string> extensions;
  Bits type = 0;                 // kGpuDevice, ...
  std::uint64_t memory_bytes = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t local_bytes = 0;  // of a work-group
  std::size_t max_group = 0;      // work-items
  std::array<std::size_t, 3> max_items = {};
  Count compute_units = 0;
  Count base_alignment_bytes = 0;  // of sub-buffers
  bool has_compiler = false;
  bool has_shared_memory = false;  // coarse-grained, at addresses

  /// Does the driver list the extension?
  bool has_extension(std::string_view extension) const;
};

/// A device with a context and its default queue.
///
/// Threads: any.   Lifetime: its queues, memory and programs end before it.
class OpenDevice {
 public:
  /// Errors: unavailable or launch_failed with the call that failed.
  static Result<std::unique_ptr<OpenDevice>> open(const Api& api, const DeviceInfo& info, int ordinal, MemoryKind kind);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const Api& api() const { return api_; }
  const DeviceInfo& info() const { return info_; }
  Context context() const { return context_; }
  Memory& memory() { return *memory_; }
  /// The queue that a stream is; null is the default one.
  Queue queue_of(void* stream) const { return stream == nullptr ? queue_ : static_cast<Queue>(stream); }
  /// A new queue that runs its commands in order. `priority` below 0 goes first, where the driver has priorities.
  Result<Queue> make_queue(int priority) const;
  /// Waits for what is in the queue; what was freed there may be used by every queue then.
  Status finish(Queue queue);
  /// "device 0", with what else is said.
  std::string with_device(const std::string& detail) const;

 private:
  OpenDevice(const Api& api, const DeviceInfo& info, int ordinal, Context context)
      : api_(api), info_(info), ordinal_(ordinal), context_(context) {}
  const Api& api_;
  const DeviceInfo& info_;
  int ordinal_;
  Context context_;
  Queue queue_ = nullptr;
  std::unique_ptr<Memory> memory_;
};

/// The devices of every driver on this machine: ordinals are GPUs and accelerators first, then processors.
///
/// Threads: any.
class Machine {
 public:
  /// What the options of the host choose. Two registries of a process share one, as tensors of one are passed to kernels of the
  /// other, and memory of a context means nothing in another context.
  ///
  /// Errors: unavailable without a loader of drivers; invalid_argument for an option that has another value.
  static Result<std::shared_ptr<Machine>> open(const Host& host);

  const Api& api() const { return api_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  /// Errors: invalid_argument for an ordinal that is not there.
  Result<const DeviceInfo*> info(int device) const;
  /// Opened when it is first needed.
  ///
  /// Errors: as `info` and `OpenDevice::open`.
  Result<OpenDevice*> device(int device);
  /// The lowest ordinal whose device has that arch.
  ///
  /// Errors: unavailable, with those that are here.
  Result<int> ordinal_of(std::string_view arch) const;
  /// unavailable: why there is no device.
  Error no_device() const;

 private:
  static Result<std::shared_ptr<Machine>> make(const Host& host);
  Machine(Api api, std::vector<DeviceInfo> devices, MemoryKind kind);
  Api api_;
  std::vector<DeviceInfo> devices_;
  MemoryKind kind_;
  std::mutex mutex_;
  std::vector<std::atomic<OpenDevice*>> opened_;
  std::vector<std::unique_ptr<OpenDevice>> owned_;
};

/// Gives the machine, looked at when it is first needed.
using OpenMachine = std::function<Result<std::shared_ptr<Machine>>()>;

}  // namespace kmux::opencl
