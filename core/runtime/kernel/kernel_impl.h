#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/arg.h"
#include "kmux/device.h"
#include "kmux/dispatch.h"
#include "kmux/error.h"
#include "kmux/kernel.h"
#include "kmux/plugin/backend.h"
#include "kmux/plugin/plugin.h"
#include "kmux/registry.h"
#include "kmux/resolver.h"
#include "kmux/target.h"

#include "adapter_slot.h"
#include "plan/printed/call_device.h"

namespace kmux {

class KernelHeaders;

/// Measures the alternatives that could run a kernel, and makes the kernel launch the winner.
///
/// Threads: any.
class KernelTuner {
 public:
  virtual ~KernelTuner() = default;
  /// Implements `Kernel::tune` with these arguments.
  virtual Result<Tuning> tune(std::span<const Arg> args, const TuneOptions& options) = 0;
  /// Returns true if one of the candidates is compiled by the plugin of that name.
  virtual bool uses(std::string_view backend) const = 0;
};

/// The constants of a kernel. A launch on a device fails until every constant that the sources do not initialise has
/// been set on that device.
///
/// Threads: any, concurrently.   Lifetime: borrows the slot, and intercepts its calls if any constant must be set.
class KernelConstants final : public Interceptor {
 public:
  KernelConstants(std::string kernel, std::vector<Constant> constants, AdapterSlot& slot);
  ~KernelConstants() override;

  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override;

  /// As `Kernel::set_constant`, for a kernel that was compiled for `device`.
  Status set(std::string_view name, const Tensor& value, StreamRef stream, const Device& device);

 private:
  static constexpr int kDevices = 64;  // as AcceptedMemory has
  bool is_ready(int device) const noexcept;
  void note_set(std::size_t index, int device);
  Error not_set(int device) const;
  Result<std::size_t> index_of(std::string_view name) const;
  Status check_value(const Constant& constant, const Tensor& value) const;
  Status copy(const Constant& constant, const Tensor& value, StreamRef stream, const Device& device);

  const std::string kernel_;
  const std::vector<Constant> constants_;
  AdapterSlot& slot_;
  std::atomic<std::uint64_t> ready_ = 0;  // one bit per device
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> set_;  // one bit per device for each constant; under mutex_
};

/// The parts of a kernel, as `compile` has them when the first artifact is loaded.
///
/// Lifetime: owns all parts; the adapters are destroyed before the plugin.
struct KernelParts {
  std::string name;
  Signature signature;
  std::vector<Constant> constants = {};
  std::vector<int> out_idx = {};  // as given in CompileOptions
  Shared<Plugin> plugin;  // whose device the kernel is for, even while another plugin's code is launched
  std::shared_ptr<AdapterSlot> adapters;  // each with its origin; never replaced if the kernel has constants
  int device = 0;  // ordinal
  Resolution resolution;
  std::shared_ptr<KernelTuner> tuner = {};  // under policy measured
  std::shared_ptr<KernelHeaders> headers = {};  // of the code that `adapters` launches; null: it depends on no file
};

/// Compiles the argument checks and output shapes, and returns the handle.
///
/// Errors: invalid_argument for an `out_idx` that is out of range, repeated, not a tensor, or given although the
///         signature declares outputs; for a signature that cannot be checked.
Result<Kernel> make_kernel(KernelParts parts);

/// Returns true if the code of `artifact` keeps values in variables: it is then neither replaced nor shared by kernels.
bool keeps_values(const Artifact& artifact);

/// Returns a small number of the calling host thread that no other living thread has. Reused after the thread ends.
///
/// Threads: any. Allocates nothing, takes no lock.
std::uint32_t current_lane() noexcept;

/// Records that the latest launch on `stream` uses the memory of those `args` that are ordered by another stream. If
/// that fails, the host waits for the stream, and the reason is logged.
[[gnu::cold, gnu::noinline]] void record_uses(std::span<const Arg> args, StreamRef stream) noexcept;

/// Returns where tensors may be for a kernel that was compiled for `device`. Queries the plugin for its other devices.
Result<AcceptedMemory> accepted_memory(const Device& device);

/// The allocator of a launcher's workspaces: the device's own memory in stream order, or the host's.
///
/// Threads: any, concurrently.   Lifetime: owns a reference to the plugin; not copied, since the table points into it.
class WorkspaceAllocator {
 public:
  explicit WorkspaceAllocator(Device device);
  WorkspaceAllocator(const WorkspaceAllocator&) = delete;
  WorkspaceAllocator& operator=(const WorkspaceAllocator&) = delete;

  const kmux_allocator* table() const { return &table_; }

 private:
  Device device_;
  kmux_allocator table_;
};

}  // namespace kmux
