// SPDX-License-Identifier: Apache-2.0
// kmux.python_ends, kmux.guarded: how threads of Python leave the library while Python ends.

#include "python_end.h"

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include "raised.h"

namespace kmux::bridge {

std::atomic<bool> python_is_ending = false;

namespace {

namespace refl = ffi::reflection;
using std::chrono::milliseconds;

/// Functions of Python that may be called without its lock. Written before `python_is_ending` is set.
struct {
  int (*is_finalizing)() = nullptr;  // Py_IsFinalizing
  void* (*thread_state)() = nullptr;  // PyGILState_GetThisThreadState: null in threads that are not Python's
  std::thread::id last;  // the thread that ends Python
} python;

template <class Pointer>
Pointer function_at(std::int64_t address) {
  return reinterpret_cast<Pointer>(address);  // NOLINT(performance-no-int-to-ptr): that is what Python has
}

void python_ends(std::int64_t is_finalizing, std::int64_t thread_state) {
  python.is_finalizing = function_at<int (*)()>(is_finalizing);
  python.thread_state = function_at<void* (*)()>(thread_state);
  python.last = std::this_thread::get_id();
  python_is_ending.store(true, std::memory_order_release);
}

/// Returns the same function with a guard.
ffi::Function guarded(const ffi::Function& function) {
  return ffi::Function::FromPacked([function](ffi::PackedArgs args, ffi::Any* result) {
    const ReturnGuard guard;
    function.CallPacked(args, result);
  });
}

}  // namespace

// Functions that were registered to run at the end may wait for this thread, so it returns if finalization does not begin soon.
void wait_for_python_end() noexcept {
  constexpr int kMaxWaits = 50;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (std::this_thread::get_id() == python.last || python.thread_state() == nullptr) return;
  for (int i = 0; i < kMaxWaits && python.is_finalizing() == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  while (python.is_finalizing() != 0) std::this_thread::sleep_for(milliseconds(100));
}

TVM_FFI_STATIC_INIT_BLOCK() { refl::GlobalDef().def("kmux.python_ends", python_ends).def("kmux.guarded", guarded); }

}  // namespace kmux::bridge
