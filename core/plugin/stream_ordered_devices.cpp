#include "kmux/plugin/stream_ordered_devices.h"

namespace kmux {
namespace {

// Source: CUDA C++ Programming Guide, "Device Memory Accesses"; HIP's allocations have the same alignment.
constexpr std::size_t kAlignment = 256;

}  // namespace

Status check_device_alignment(std::size_t alignment) {
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "alignment " + std::to_string(alignment) + " is not a power of two. Use one.");
  }
  if (alignment <= kAlignment) return Ok{};
  return make_error(ErrorCode::kInvalidArgument,
                    "alignment " + std::to_string(alignment) +
                        " is more than the 256 bytes that memory of a device has. Ask for that much more memory and "
                        "round the address up.");
}

Error default_stream_is_in_the_way(int device) {
  return make_error(
      ErrorCode::kLaunchFailed,
      "the default stream of device " + std::to_string(device) +
          " cannot be used now (a stream that it waits for is captured, and the capture would be spoiled). "
          "Pass a stream that was made non-blocking, or wait for the end of the capture.");
}

Error device_out_of_range(int device, std::size_t count) {
  return make_error(ErrorCode::kInvalidArgument, "device " + std::to_string(device) + " is out of range (0 to " +
                                                     std::to_string(count - 1) + "). Pass an ordinal of a device.");
}

}  // namespace kmux
