// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

namespace kmux::bridge {

/// Set once the interpreter runs its last functions.
extern std::atomic<bool> python_is_ending;

/// Blocks if the interpreter is being finalized and the calling thread belongs to it; otherwise returns within 50 ms.
[[gnu::cold]] void wait_for_python_end() noexcept;

/// Prevents a thread from returning to an interpreter that is being finalized, which would end the process by
/// std::terminate: TVM-FFI takes the lock of the interpreter in a destructor, and Python then ends the thread by an
/// exception.
class ReturnGuard {
 public:
  ReturnGuard() = default;
  ReturnGuard(const ReturnGuard&) = delete;
  ReturnGuard& operator=(const ReturnGuard&) = delete;
  ~ReturnGuard() {
    if (python_is_ending.load(std::memory_order_relaxed)) [[unlikely]]
      wait_for_python_end();
  }
};

/// Returns the method `method` of an object's type as a guarded function of the same signature.
template <class Result, class... Args>
auto guarded_method(Result (*method)(Args...)) {
  return [method](Args... args) -> Result {
    const ReturnGuard guard;
    return method(std::forward<Args>(args)...);
  };
}

template <class Lambda>
  requires std::is_class_v<Lambda>
auto guarded_method(const Lambda& method) {
  return guarded_method(+method);
}

}  // namespace kmux::bridge
