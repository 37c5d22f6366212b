#pragma once

#include "control.h"

namespace kmux {

/// A CUDA driver of our own in this process: it keeps the rules and the objects of the real one, has memory that works,
/// writes down every call, and fails where it is told to.
///
/// Threads: any.   Lifetime: the library stays open; a FakeCuda is a handle to it.
class FakeCuda {
 public:
  /// Opens the fake libcuda.so.1, so that whoever opens "libcuda.so.1" from then on gets it, and resets it.
  ///
  /// Errors: throws std::runtime_error if it cannot be opened, or if another libcuda.so.1 was opened first.
  static FakeCuda load();

  /// Back to the beginning: one default device, no objects, no calls, nothing told; recording is on. What was made before
  /// is dead. That cuInit was called stays.
  void reset() { control_->reset(); }

  /// The devices from here on; everything that was made dies. None: cuInit says that there is no device.
  void set_devices(std::vector<fake_cuda::Device> devices) { control_->set_devices(std::move(devices)); }
  void set_driver_version(int version) { control_->set_driver_version(version); }

  /// Off: nothing is written down, and a launch checks only that a context is current, which costs a few nanoseconds.
  void set_recording(bool on) { control_->set_recording(on); }
  /// What every launch does while recording is off, as slow and as hard on caches as a real one. Null: nothing.
  void set_launch_work(void (*work)()) { control_->set_launch_work(work); }
  /// Every call since the last `clear_calls`, in order: symbol, arguments by name, " -> result", and " = code NAME" if it
  /// failed. Addresses and handles are hexadecimal, kernels have their names.
  std::vector<std::string> calls() const { return control_->calls(); }
  /// The calls of one symbol.
  std::vector<std::string> calls(const std::string& symbol) const;
  /// The symbols alone.
  std::vector<std::string> symbols() const;
  void clear_calls() { control_->clear_calls(); }

  /// The `nth` call of `symbol` from now on fails with `code`, once. A call that releases something releases it all the
  /// same, as the driver does when it reports the failure of earlier work.
  void fail(std::string symbol, nvidia::CUresult code, unsigned nth = 1) {
    control_->fail(std::move(symbol), code, nth);
  }
  /// As `fail`, for the `nth` call of any symbol but those that describe errors.
  void fail_any(nvidia::CUresult code, unsigned nth = 1) { control_->fail_any(code, nth); }
  /// The symbol that `fail` or `fail_any` made fail last; empty if none was reached yet.
  std::string failed() const { return control_->failed(); }
  /// From now on whatever needs a context fails with `code`, as after an illegal address. CUDA_SUCCESS ends it.
  void poison(nvidia::CUresult code) { control_->poison(code); }

  fake_cuda::Live live() const { return control_->live(); }
  /// The first breach of what the driver does not check; empty if none. An executable graph changed by two threads at once or
  /// launched after its code was unloaded; memory freed twice, or used by a kernel, fill or copy before its allocation or
  /// after its free: with its address and size, and who allocated it.
  std::string misuse() const { return control_->misuse(); }

  /// Code that the fake cannot read, neither a cubin nor PTX, has this kernel, with parameters of these sizes. Of a cubin and PTX
  /// the kernels are read, and no other name is found.
  void set_parameters(std::string kernel, std::vector<std::size_t> sizes) {
    control_->set_parameters(std::move(kernel), std::move(sizes));
  }
  /// Static shared memory of a kernel, for code that is not a cubin; which has it then, as by `set_parameters`.
  void set_static_shared(std::string kernel, int bytes) { control_->set_static_shared(std::move(kernel), bytes); }
  /// The most threads of a block of this kernel; 1024 where it is not told.
  void set_most_threads(std::string kernel, int threads) { control_->set_most_threads(std::move(kernel), threads); }
  /// No library has this kernel.
  void hide_kernel(std::string kernel) { control_->hide_kernel(std::move(kernel)); }
  /// What launches do, on the thread that launches, or in deferred mode on one that waits or calls. Captured launches do it
  /// when their graph is launched.
  void on_launch(std::function<void(const fake_cuda::KernelRun&)> run) { control_->on_launch(std::move(run)); }

  /// Begins, spoils or ends the capture of a stream (0 and 1 are one stream).
  void set_capture(nvidia::CUstream stream, nvidia::CUstreamCaptureStatus status) {
    control_->set_capture(stream, status);
  }
  /// Makes memory of the test memory of a device, which copies and fills may name.
  void adopt(void* address, std::size_t bytes, int device = 0) { control_->adopt(address, bytes, device); }

  /// From here on streams do their work later, in an order that the rules of streams and events allow and `seed` picks;
  /// waits and what the driver documents to wait do it. KMUX_FAKE_CUDA_SEED does the same from `load` and `reset` on, and
  /// writes misuse to stderr.
  void set_deferred(std::uint64_t seed) { control_->set_deferred(seed); }
  /// From here on every call does its work at once, which is how the fake begins.
  void set_eager() { control_->set_eager(); }
  /// Does what streams still have to do.
  void finish() { control_->finish(); }

  /// What the fake wrote into a tensor map; throws std::runtime_error if it is none of the fake's.
  static fake_cuda::TensorMapBytes read_map(const void* map);

 private:
  explicit FakeCuda(fake_cuda::Control* control) : control_(control) {}
  fake_cuda::Control* control_;
};

}  // namespace kmux
