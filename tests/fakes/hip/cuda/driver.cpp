#include "cuda/driver.h"

#include <array>
#include <mutex>

#include "kmux/plugin/sink.h"

namespace kmux::hip_on_cuda {
namespace {

constexpr int kMaxDevices = 64;

// Returns the context of `device`, which stays retained.
int context_of(int device, nvidia::CUcontext* context) {
  static std::mutex mutex;
  static std::array<nvidia::CUcontext, kMaxDevices> contexts{};
  if (device < 0 || device >= kMaxDevices) return hip::kInvalidDevice;
  const std::lock_guard lock(mutex);
  nvidia::CUcontext& kept = contexts[static_cast<std::size_t>(device)];
  if (kept == nullptr) KMUX_CHECK(driver()->primary_retain(&kept, device));
  *context = kept;
  return hip::kHipSuccess;
}

}  // namespace

const nvidia::DriverTable* driver() {
  static const nvidia::DriverTable* const table = nvidia::open_driver(discard());
  return table;
}

int& current_device() {
  static thread_local int device = 0;
  return device;
}

int enter() {
  static thread_local int entered = -1;
  if (entered == current_device()) return hip::kHipSuccess;
  if (driver() == nullptr) return hip::kNoDevice;
  nvidia::CUcontext context = nullptr;
  KMUX_CHECK(context_of(current_device(), &context));
  KMUX_CHECK(driver()->current_set(context));
  entered = current_device();
  return hip::kHipSuccess;
}

}  // namespace kmux::hip_on_cuda
