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

#include "blocks.h"
#include "capture.h"
#include "objects.h"

namespace kmux::fake_cuda {

using Run = std::function<void(const KernelRun&)>;

CUstreamCaptureMode capture_mode();
/// Returns the number of this thread, from 1 on.
unsigned thread_number();
/// Returns one key for each stream: null and 1 share a key, 2 has one in each thread.
CUstream stream_key(CUstream stream);
inline const CUstream kLegacyStream = reinterpret_cast<CUstream>(1);

/// The whole state of the fake driver. Guarded by `mutex`.
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
  std::map<std::uintptr_t, Allocation> memory;  // valid in calls
  std::map<std::uintptr_t, std::vector<unsigned char>> pinned;  // pinned host memory
  std::vector<std::vector<unsigned char>> unpinned;  // freed: late reads stay valid and find other bytes
  Blocks blocks;
  Captures captures;

  /// Null: the work of calls is executed at once.
  std::shared_ptr<Timeline> timeline;
  std::optional<std::uint64_t> seed;  // of the timeline
  std::map<std::pair<int, CUstream>, Timeline::Stream> lanes;
  bool reports_misuse = false;  // to stderr, for programs that do not know the timeline

  std::map<std::string, std::vector<Parameter>> parameters;
  std::map<std::string, int> static_shared;
  std::map<std::string, int> most_threads;  // of a block
  std::set<std::string> hidden;
  std::shared_ptr<const Run> run;
  std::string misuse;

  /// Restores the initial state on these devices.
  void restart(std::vector<Device> anew);
  /// Destroys all objects of the context of `device`.
  void end_context(int device);

  bool has_device(CUdevice device) const { return device >= 0 && static_cast<std::size_t>(device) < devices.size(); }
  /// Returns true if `bytes` bytes from `address` on are within one allocation.
  bool is_memory(CUdeviceptr address, std::size_t bytes) const;
  /// Returns true if `bytes` bytes from `address` on are within one block of pinned memory.
  bool is_pinned(const void* address, std::size_t bytes) const;
  std::size_t allocated_on(int device) const;
  CUstreamCaptureStatus capture_of(CUstream stream) { return captures.status_of(stream_key(stream)); }
  /// Invalidates the captures that forbid unsafe calls by this thread. Unsafe calls must call it first.
  ///
  /// Errors: STREAM_CAPTURE_UNSUPPORTED if one was invalidated.
  CUresult spoil_captures() { return captures.spoil(capture_mode(), thread_number()); }
  /// Returns true if the legacy stream waits for the stream of this key.
  bool is_blocking(CUstream key);
  /// Returns true if `stream` is the legacy stream and has to wait for a blocking stream that is being captured.
  bool would_join_a_capture(CUstream stream);
  /// Returns the stream of `device` on the timeline.
  Timeline::Stream lane_of(CUstream stream, int device);
  /// Orders streams by a timeline with this seed from now on, or executes everything at once. Drops pending work of the
  /// last timeline.
  void set_timeline(std::optional<std::uint64_t> seed);
  /// Records the first breach of a rule that a driver does not check.
  void report_misuse(std::string text);
  /// Returns INVALID_HANDLE for a stream that is dead or not of the current device.
  CUresult check_stream(CUstream stream);
  /// Returns INVALID_HANDLE for a stream that is dead.
  CUresult check_any_stream(CUstream stream);
  /// Returns the device of a stream: for the default streams the current one.
  int device_of_stream(CUstream stream);
  /// Finds the device that a launch of `function` on `stream` runs on: that of a created stream, else the current one.
  ///
  /// Errors: INVALID_CONTEXT without a device; INVALID_HANDLE for a dead stream, or if the function is of another
  /// device.
  CUresult find_place(CUfunction function, CUstream stream, int* device);
  /// Returns the parameters of a kernel, or null if they are unknown.
  const std::vector<Parameter>* parameters_of(const Kernel& kernel);
};

World& world();
/// Returns the value of KMUX_FAKE_CUDA_SEED.
std::optional<std::uint64_t> seed_from_environment();

/// Returns the device whose context is current on this thread; -1 if none is.
int current_device();
void set_current_device(int device);
CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode);
CUcontext context_of(int device);
/// Returns a kernel in the context of one device. A caller may pass a kernel in its place, which has no device.
CUfunction function_of(CUkernel kernel, int device);
CUkernel kernel_of(CUfunction function);
/// Returns true if `function` runs on `device`. A kernel runs on any device.
bool is_of(CUfunction function, int device);
/// Returns the device of a context handle; -1 if it is invalid.
int device_of(CUcontext context);
void forget_current_everywhere();

}  // namespace kmux::fake_cuda
