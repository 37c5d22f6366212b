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
/// Of this thread, from 1 on.
unsigned thread_number();
/// One key for each stream: null and 1 are one, 2 is one in each thread.
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
  std::map<std::uintptr_t, Allocation> memory;  // that calls may use
  std::map<std::uintptr_t, std::vector<unsigned char>> pinned;  // of the host
  std::vector<std::vector<unsigned char>> unpinned;  // freed: what is late reads it all the same, and finds other bytes
  Blocks blocks;
  Captures captures;

  /// Null: what calls give to streams is done at once.
  std::shared_ptr<Timeline> timeline;
  std::optional<std::uint64_t> seed;  // of the timeline
  std::map<std::pair<int, CUstream>, Timeline::Stream> lanes;
  bool reports_misuse = false;  // on stderr, for programs that do not know of the timeline

  std::map<std::string, std::vector<Parameter>> parameters;
  std::map<std::string, int> static_shared;
  std::map<std::string, int> most_threads;  // of a block
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
  /// Whether `bytes` bytes from `address` on lie in one block of pinned memory.
  bool is_pinned(const void* address, std::size_t bytes) const;
  std::size_t allocated_on(int device) const;
  CUstreamCaptureStatus capture_of(CUstream stream) { return captures.status_of(stream_key(stream)); }
  /// For calls that a capture forbids to others: invalidates those that this thread must not make them beside.
  ///
  /// Errors: STREAM_CAPTURE_UNSUPPORTED if there was one.
  CUresult spoil_captures() { return captures.spoil(capture_mode(), thread_number()); }
  /// Whether a key is that of a stream that the legacy one waits for.
  bool is_blocking(CUstream key);
  /// Whether `stream` is the legacy one and has to wait for a blocking stream that is captured.
  bool would_join_a_capture(CUstream stream);
  /// The stream of `device` on the timeline.
  Timeline::Stream lane_of(CUstream stream, int device);
  /// From here on streams are ordered by a timeline with this seed, or do everything at once. What the last one had is
  /// dropped.
  void set_timeline(std::optional<std::uint64_t> seed);
  /// Remembers the first breach of what a driver does not check.
  void report_misuse(std::string text);
  /// INVALID_HANDLE for a stream that is dead or of another device than the current one.
  CUresult check_stream(CUstream stream);
  /// INVALID_HANDLE for a stream that is dead.
  CUresult check_any_stream(CUstream stream);
  /// The device of a stream: for the default ones the current one.
  int device_of_stream(CUstream stream);
  /// The device that a launch of `function` on `stream` runs on: that of a stream somebody made, else the current one.
  ///
  /// INVALID_CONTEXT if there is none; INVALID_HANDLE for a dead stream, or where it is not the device of the function.
  CUresult find_place(CUfunction function, CUstream stream, int* device);
  /// The parameters of a kernel, or null if nobody knows.
  const std::vector<Parameter>* parameters_of(const Kernel& kernel);
};

World& world();
/// KMUX_FAKE_CUDA_SEED.
std::optional<std::uint64_t> seed_from_environment();

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
