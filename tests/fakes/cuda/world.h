#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "objects.h"

namespace kmux::fake_cuda {

using Run = std::function<void(const KernelRun&)>;

/// Everything that the fake driver knows. Guarded by `mutex`.
struct World {
  struct OnDevice {
    std::size_t retains = 0;
    std::size_t persisting_limit = 0;
    std::uint64_t release_threshold = 0;
  };

  std::mutex mutex;
  bool initialised = false;
  int driver_version = 13000;
  std::vector<Device> devices = {Device{}};
  std::vector<OnDevice> on_device = {OnDevice{}};
  CUresult poison = CUDA_SUCCESS;

  Table<CUlibrary, Library> libraries{0x1000010};
  Table<CUkernel, Kernel> kernels{0x2000010};
  Table<CUstream, Stream> streams{0x3000010};
  Table<CUevent, Event> events{0x4000010};
  Table<CUgraph, Graph> graphs{0x5000010};
  Table<CUgraphNode, GraphNode> nodes{0x6000010};
  Table<CUgraphExec, Executable> executables{0x7000010};
  std::map<std::uintptr_t, Allocation> memory;
  std::map<CUstream, CUstreamCaptureStatus> captures;

  std::map<std::string, std::vector<Parameter>> parameters;
  std::map<std::string, int> static_shared;
  std::set<std::string> hidden;
  std::shared_ptr<const Run> run;
  std::string misuse;

  /// As in the beginning, on these devices.
  void restart(std::vector<Device> anew);
  /// Ends what lives in the context of `device`.
  void end_context(int device);

  bool has_device(CUdevice device) const { return device >= 0 && static_cast<std::size_t>(device) < devices.size(); }
  /// Whether `bytes` bytes from `address` on lie in one allocation.
  bool is_memory(CUdeviceptr address, std::size_t bytes) const;
  std::size_t allocated_on(int device) const;
  CUstreamCaptureStatus capture_of(CUstream stream) const;
  bool has_captures() const;
  /// For calls that may wait for a device: spoils every capture, and says so, unless this thread's captures are relaxed.
  CUresult spoil_captures();
  /// INVALID_HANDLE for a stream that is dead or of another device than the current one.
  CUresult check_stream(CUstream stream);
  /// The device that a launch of `function` on `stream` runs on: that of a stream somebody made, else the current one.
  ///
  /// INVALID_CONTEXT if there is none; INVALID_HANDLE for a dead stream, or where it is not the device of the function.
  CUresult find_place(CUfunction function, CUstream stream, int* device);
  /// The parameters of a kernel, or null if nobody knows.
  const std::vector<Parameter>* parameters_of(const Kernel& kernel);
};

World& world();

/// The device whose context is current on this thread; -1: none.
int current_device();
void set_current_device(int device);
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);
CUcontext context_of(int device);
/// A kernel in the context of one device. Whoever has a kernel may pass it as one: that is none of a device.
CUfunction function_of(CUkernel kernel, int device);
CUkernel kernel_of(CUfunction function);
/// Does `function` run on `device`, as a kernel does on any?
bool is_of(CUfunction function, int device);
/// The device of a context's handle; -1: it is none.
int device_of(CUcontext context);
void forget_current_everywhere();

}  // namespace kmux::fake_cuda
