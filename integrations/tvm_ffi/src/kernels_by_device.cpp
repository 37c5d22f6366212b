// SPDX-License-Identifier: Apache-2.0
// kmux.kernels_by_device: the kernels behind a kernel of a source, which is compiled for the device of a call.

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "kmux/device.h"

#include "kernel_function.h"
#include "python_end.h"
#include "raised.h"

namespace kmux::bridge {
namespace {

namespace refl = ffi::reflection;

/// Kernels of one program for several devices: a call launches that of the device of its first tensor.
class KernelsByDevice {
 public:
  /// `make(type, id)` returns the kernel for a device; (-1, 0) is for a call without tensors. `looks_at_device` is true
  /// if it compiles for the device, and false if it was given a target.
  KernelsByDevice(ffi::Function make, bool looks_at_device) : make_(std::move(make)), looks_(looks_at_device) {}

  void call(ffi::PackedArgs args, ffi::Any* result) {
    const DLDevice device = device_of(args);
    const Place* place = last_.load(std::memory_order_acquire);
    if (place == nullptr || !place->is(device)) [[unlikely]] {
      place = &place_on(device);
      last_.store(place, std::memory_order_release);
    }
    place->kernel.CallPacked(args, result);
  }

 private:
  struct Place {
    bool is(DLDevice other) const {
      return device.device_type == other.device_type && device.device_id == other.device_id;
    }

    DLDevice device;
    ffi::Function kernel;
  };

  static DLDevice device_of(ffi::PackedArgs args) {
    for (int i = 0; i < args.size(); ++i) {
      const TVMFFIAny& value = *reinterpret_cast<const TVMFFIAny*>(args.data() + i);
      if (value.type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(value.v_obj)->device;
      if (value.type_index == kTVMFFIDLTensorPtr) return static_cast<const DLTensor*>(value.v_ptr)->device;
    }
    return {static_cast<DLDeviceType>(-1), 0};
  }

  const Place* find(DLDevice device) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(places_, [&](const Place& place) { return place.is(device); });
    return found == places_.end() ? nullptr : &*found;
  }

  const Place& place_on(DLDevice device) {
    if (const Place* known = find(device)) return *known;
    ffi::Function kernel = made_for(device);
    (void)KernelFunction::kernel_of(kernel);
    const std::lock_guard lock(mutex_);
    return places_.emplace_back(device, std::move(kernel));
  }

  /// Returns a new kernel for `device`. Drops the backtrace of an error: Python's frames between here and the compiler
  /// are of no use to the caller.
  ffi::Function made_for(DLDevice device) const {
    {
      const ReturnGuard before_python;
    }
    try {
      return make_(static_cast<int>(device.device_type), device.device_id).cast<ffi::Function>();
    } catch (const ffi::Error& error) {
      throw ffi::Error(error.kind(), error.message() + why(error.kind(), device), "", error.cause_chain(),
                       error.extra_context());
    }
  }

  std::string why(std::string_view kind, DLDevice device) const {
    const bool may_be_the_device = kind == error_kind(ErrorCode::kInvalidArgument) ||
                                   kind == error_kind(ErrorCode::kUnavailable) ||
                                   kind == error_kind(ErrorCode::kUnsupported);
    if (!looks_ || device.device_type < 0 || !may_be_the_device) return {};
    return "\n  compiled for: " + Device::foreign(device).to_string() + ", where the first array of the call is";
  }

  ffi::Function make_;
  bool looks_;
  std::mutex mutex_;
  std::deque<Place> places_;  // their addresses stay valid
  std::atomic<const Place*> last_ = nullptr;
};

ffi::Function kernels_by_device(const ffi::Function& make, bool looks_at_device) {
  return ffi::Function::FromPacked([kernels = std::make_shared<KernelsByDevice>(make, looks_at_device)](
                                       ffi::PackedArgs args, ffi::Any* result) { kernels->call(args, result); });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() { refl::GlobalDef().def("kmux.kernels_by_device", kernels_by_device); }

}  // namespace kmux::bridge
