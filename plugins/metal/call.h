#pragma once

#include <array>
#include <vector>

#include "kmux/plugin/driver.h"

#include "bindings.h"
#include "gpu.h"
#include "library.h"

namespace kmux::metal {

/// The kernels and launches of a loaded program.
struct Launchable {
  std::vector<LoadedKernel> kernels;
  std::vector<LaunchBindings> launches;  // by step
};

/// One call: a command buffer into which its launches and fills are encoded in order. `finish` commits all of them or
/// none. A driver for `PlanRunner`.
///
/// Threads: one.   Lifetime: the arguments must outlive the object, which owns an autorelease pool.
class Call {
 public:
  static constexpr std::size_t kMaxWorkspaces = 64;

  Call(Gpu& gpu, const Launchable& program, const kmux_launch_env& env) noexcept;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  /// Returns the environment for the plan. Freed workspaces are kept until the destructor, since no other work on the
  /// stream may reuse them before this call is committed.
  const kmux_driver_env& env() const { return env_; }
  int launch(const kmux_driver_launch& launch, kmux_sink error) noexcept;
  int fill(const kmux_driver_fill& fill, kmux_sink error) noexcept;
  /// Commits the command buffer if `code` is KMUX_OK. Returns `code`.
  int finish(int code) noexcept;

 private:
  enum class Encoding { kNone, kCompute, kBlit };
  Id encoder(Encoding kind) noexcept;
  void end_encoding() noexcept;
  void set_threadgroup_memory(Id encoder, Count bytes) noexcept;
  int bind(const LaunchBindings& bindings, Id encoder, void* const* args, kmux_sink error) const noexcept;
  int check(const LoadedKernel& kernel, const kmux_driver_launch& launch, Count memory, kmux_sink error) const noexcept;

  Gpu& gpu_;
  const ObjectiveC& objc_;
  const Launchable& program_;
  AutoreleasePool pool_;
  const kmux_allocator* caller_allocator_;
  kmux_allocator allocator_;
  kmux_driver_env env_;
  Id command_buffer_ = nullptr;
  Id encoder_ = nullptr;
  Encoding encoding_ = Encoding::kNone;
  Count encoded_memory_ = 0;  // bytes of threadgroup memory that the encoder has set
  std::size_t freed_count_ = 0;
  std::array<void*, kMaxWorkspaces> freed_;  // only the first freed_count_ are written
};

}  // namespace kmux::metal
