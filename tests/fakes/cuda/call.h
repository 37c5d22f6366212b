#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "exports.h"
#include "line.h"
#include "world.h"

namespace kmux::fake_cuda {

/// The recorded calls and the faults to inject. Guarded by the world's mutex.
struct Record {
  struct Fault {
    std::string symbol;  // empty: any
    CUresult code;
    unsigned calls_left;
  };
  bool on = true;
  std::vector<std::string> lines;
  std::vector<Fault> faults;
  std::string failed;
};

Record& record();

/// Returns true if calls must go through `Call`: recording is on, faults are pending, launches run kernels, a capture
/// is in progress, or the context is poisoned.
bool is_watched();
/// The work of an unwatched launch, which makes it as slow as a real one; null: none.
extern std::atomic<void (*)()> launch_work;
/// Recomputes `is_watched`. The caller must hold the world's lock, after any of that has changed.
void watch();

/// The state that a call requires.
enum class Needs { kNothing, kInit, kContext };

/// One call of the driver. Holds the world's lock for its lifetime.
class Call {
 public:
  Call(const char* symbol, Needs needs);

  /// Appends to the line of this call: arguments before `run`, results within it.
  template <class... Parts>
  Call& with(const Parts&... parts) {
    if (record().on) (append(line_, parts), ...);
    return *this;
  }

  /// Returns the result of `action() -> CUresult`, unless a fault is injected or the state that the call requires is
  /// missing.
  template <class Action>
  CUresult run(Action action) {
    CUresult result = fault();
    if (result == CUDA_SUCCESS) result = missing();
    if (result == CUDA_SUCCESS) result = action();
    return finish(result);
  }

  /// As `run`, for calls that release an object: an injected fault is returned after the action.
  template <class Action>
  CUresult release(Action action) {
    const CUresult told = fault();
    CUresult result = missing();
    if (result == CUDA_SUCCESS) result = action();
    return finish(told == CUDA_SUCCESS ? result : told);
  }

 private:
  CUresult fault();
  CUresult missing() const;
  CUresult finish(CUresult result);
  std::lock_guard<std::mutex> lock_;
  const char* symbol_;
  Needs needs_;
  std::string line_;
};

/// Returns "CUDA_ERROR_INVALID_VALUE" and "invalid argument"; null if the code is not one of the driver's.
const char* name_of(CUresult code);
const char* meaning_of(CUresult code);

}  // namespace kmux::fake_cuda
