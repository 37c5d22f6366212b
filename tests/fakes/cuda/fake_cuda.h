#pragma once

#include "control.h"

namespace kmux {

/// A fake CUDA driver in this process. It implements the rules and objects of the real one, has working memory, records
/// every call, and fails on request.
///
/// Threads: any.   Lifetime: the library stays open; a FakeCuda is a handle to it.
class FakeCuda {
 public:
  /// Opens the fake libcuda.so.1 and resets it. Later callers that open "libcuda.so.1" get the fake.
  ///
  /// Errors: throws std::runtime_error if it cannot be opened, or if another libcuda.so.1 was opened first.
  static FakeCuda load();

  /// Restores the initial state: one default device, no objects, no calls, no settings, recording on. Existing objects
  /// become invalid. cuInit stays called.
  void reset() { control_->reset(); }

  /// Replaces the devices and invalidates all objects. With no devices, cuInit fails with NO_DEVICE.
  void set_devices(std::vector<fake_cuda::Device> devices) { control_->set_devices(std::move(devices)); }
  void set_driver_version(int version) { control_->set_driver_version(version); }

  /// Turns recording on or off. Off: a launch checks only that a context is current, which costs a few nanoseconds.
  void set_recording(bool on) { control_->set_recording(on); }
  /// Sets the work of every launch while recording is off, to cost as much time and cache as a real one. Null: none.
  void set_launch_work(void (*work)()) { control_->set_launch_work(work); }
  /// Returns every call since the last `clear_calls`, in order: symbol, arguments by name, " -> result", and " = code
  /// NAME" if it failed. Addresses and handles are hexadecimal; kernels have their names.
  std::vector<std::string> calls() const { return control_->calls(); }
  /// Returns the calls of one symbol.
  std::vector<std::string> calls(const std::string& symbol) const;
  /// Returns only the symbols.
  std::vector<std::string> symbols() const;
  void clear_calls() { control_->clear_calls(); }

  /// Makes the `nth` call of `symbol` from now on fail with `code`, once. A call that releases an object still releases
  /// it, as the driver does when it reports the failure of earlier work.
  void fail(std::string symbol, nvidia::CUresult code, unsigned nth = 1) {
    control_->fail(std::move(symbol), code, nth);
  }
  /// As `fail`, for the `nth` call of any symbol except those that describe errors.
  void fail_any(nvidia::CUresult code, unsigned nth = 1) { control_->fail_any(code, nth); }
  /// Returns the symbol that `fail` or `fail_any` made fail last; empty if none was reached yet.
  std::string failed() const { return control_->failed(); }
  /// Makes every call that needs a context fail with `code`, as after an illegal address. CUDA_SUCCESS ends it.
  void poison(nvidia::CUresult code) { control_->poison(code); }

  fake_cuda::Live live() const { return control_->live(); }
  /// Returns the first breach of a rule that the driver does not check; empty if none. Graph breaches: an executable
  /// changed by two threads at once, or launched after its code was unloaded. Memory breaches: a double free, or use by
  /// a kernel, fill or copy before the allocation or after the free. The text of the latter has the address, the size
  /// and the allocating callers.
  std::string misuse() const { return control_->misuse(); }

  /// Sets the parameter sizes of `kernel` in code that the fake cannot read, neither a cubin nor PTX. The kernels of a
  /// cubin and of PTX are read, and no other name is found.
  void set_parameters(std::string kernel, std::vector<std::size_t> sizes) {
    control_->set_parameters(std::move(kernel), std::move(sizes));
  }
  /// Sets the static shared memory of a kernel in code that is not a cubin, which then has this kernel, as with
  /// `set_parameters`.
  void set_static_shared(std::string kernel, int bytes) { control_->set_static_shared(std::move(kernel), bytes); }
  /// Sets the most threads of a block of this kernel; 1024 by default.
  void set_most_threads(std::string kernel, int threads) { control_->set_most_threads(std::move(kernel), threads); }
  /// Hides this kernel from all libraries.
  void hide_kernel(std::string kernel) { control_->hide_kernel(std::move(kernel)); }
  /// Sets the function that launches call, on the launching thread, or in deferred mode on a thread that waits or
  /// calls. Captured launches call it when their graph is launched.
  void on_launch(std::function<void(const fake_cuda::KernelRun&)> run) { control_->on_launch(std::move(run)); }

  /// Begins, invalidates or ends the capture of a stream (0 and 1 are one stream).
  void set_capture(nvidia::CUstream stream, nvidia::CUstreamCaptureStatus status) {
    control_->set_capture(stream, status);
  }
  /// Registers memory of the test as device memory, valid in copies and fills. The test keeps owning it.
  void adopt(void* address, std::size_t bytes, int device = 0) { control_->adopt(address, bytes, device); }

  /// Defers the work of streams, in an order that the rules of streams and events allow and `seed` picks. Waits and
  /// calls that are documented to wait execute it. KMUX_FAKE_CUDA_SEED does the same from `load` and `reset` on, and
  /// writes misuse to stderr.
  void set_deferred(std::uint64_t seed) { control_->set_deferred(seed); }
  /// Executes the work of every call at once from now on, the initial mode.
  void set_eager() { control_->set_eager(); }
  /// Executes the pending work of all streams.
  void finish() { control_->finish(); }

  /// Returns the fields that the fake wrote into a tensor map. Throws std::runtime_error if the fake did not write it.
  static fake_cuda::TensorMapBytes read_map(const void* map);

 private:
  explicit FakeCuda(fake_cuda::Control* control) : control_(control) {}
  fake_cuda::Control* control_;
};

}  // namespace kmux
