#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "nvidia/launch/driver_abi.h"

/// The interface by which tests configure and inspect the fake driver. Both are built together, so C++ types may cross
/// it.
namespace kmux::fake_cuda {

/// A device as the driver describes it. The default is similar to an H200, with less memory.
struct Device {
  std::string name = "Fake H200";
  int major = 9;
  int minor = 0;
  int multiprocessors = 132;
  std::size_t memory_bytes = std::size_t{1} << 30;
  int l2_bytes = 50 << 20;
  int shared_bytes_opt_in = 232448;
  int max_persisting_l2_bytes = 32 << 20;
  int max_window_bytes = 128 << 20;
  int memory_pools = 1;
};

/// Objects that were created and not released. `contexts` counts retains.
struct Live {
  std::size_t contexts = 0;
  std::size_t libraries = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t allocations = 0;
  std::size_t graphs = 0;
  std::size_t executables = 0;
  bool operator==(const Live&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Live& live) {
    return out << live.contexts << " contexts, " << live.libraries << " libraries, " << live.streams << " streams, "
               << live.events << " events, " << live.allocations << " allocations, " << live.graphs << " graphs, "
               << live.executables << " executables";
  }
};

/// A launch that the fake device executes: plain, or a node of a graph.
///
/// Lifetime: valid during the call. `args` is null if a graph does not know the sizes of the parameters. `stream` is
/// the caller's value and may be destroyed.
struct KernelRun {
  const std::string& kernel;
  nvidia::CUlibrary library;
  int device;
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_smem_bytes;
  nvidia::CUstream stream;
  void* const* args;
};

enum class MapKind : std::uint8_t { kTiled = 1, kIm2col = 2 };

/// The 128 bytes of a tensor map as the fake driver writes them. Values past `rank` are 0.
struct TensorMapBytes {
  std::uint32_t magic;  // kTensorMapMagic
  MapKind kind;
  std::uint8_t dtype;
  std::uint8_t rank;
  std::uint8_t interleave;
  std::uint64_t base;
  std::uint64_t strides_bytes[4];
  std::uint32_t dims_less_one[5];  // a dimension may be 2^32
  std::uint16_t box[5];
  std::int16_t lower_corner[3];
  std::int16_t upper_corner[3];
  std::uint16_t channels_per_pixel;
  std::uint16_t pixels_per_column;
  std::uint8_t element_strides[5];
  std::uint8_t swizzle;
  std::uint8_t l2_promotion;
  std::uint8_t oob_fill;
};
static_assert(sizeof(TensorMapBytes) <= 128);
constexpr std::uint32_t kTensorMapMagic = 0x50414d54;

/// The object behind the symbol `kmux_fake_cuda_control`. FakeCuda documents each function.
class Control {
 public:
  virtual void reset() = 0;
  virtual void set_devices(std::vector<Device> devices) = 0;
  virtual void set_driver_version(int version) = 0;
  virtual void set_recording(bool on) = 0;
  virtual void set_launch_work(void (*work)()) = 0;
  virtual std::vector<std::string> calls() = 0;
  virtual void clear_calls() = 0;
  virtual void fail(std::string symbol, nvidia::CUresult code, unsigned nth) = 0;
  virtual void fail_any(nvidia::CUresult code, unsigned nth) = 0;
  virtual std::string failed() = 0;
  virtual void poison(nvidia::CUresult code) = 0;
  virtual Live live() = 0;
  virtual std::string misuse() = 0;
  virtual void set_parameters(std::string kernel, std::vector<std::size_t> sizes) = 0;
  virtual void set_most_threads(std::string kernel, int threads) = 0;
  virtual void set_static_shared(std::string kernel, int bytes) = 0;
  virtual void hide_kernel(std::string kernel) = 0;
  virtual void on_launch(std::function<void(const KernelRun&)> run) = 0;
  virtual void set_capture(nvidia::CUstream stream, nvidia::CUstreamCaptureStatus status) = 0;
  virtual void adopt(void* address, std::size_t bytes, int device) = 0;
  virtual void set_deferred(std::uint64_t seed) = 0;
  virtual void set_eager() = 0;
  virtual void finish() = 0;

 protected:
  ~Control() = default;
};

}  // namespace kmux::fake_cuda
