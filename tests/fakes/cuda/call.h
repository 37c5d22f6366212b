#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "exports.h"
#include "line.h"
#include "world.h"

namespace kmux::fake_cuda {

/// What is written down, and what shall fail. Guarded by the world's mutex.
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

/// Whether calls must go through `Call`: somebody records, injects faults, runs kernels, captures or
/// has poisoned the context.
bool is_watched();
/// What a launch does that nobody watches, to be as slow as a real one; null: nothing.
extern std::atomic<void (*)()> launch_work;
/// To be called with the world locked, after any of that has changed.
void watch();

/// What a call needs before it does anything.
enum class Needs { kNothing, kInit, kContext };

/// One call of the driver: the world is locked as long as it lives.
class Call {
 public:
  Call(const char* symbol, Needs needs);

  /// Adds to the line of this call: arguments before `run`, results within it.
  template <class... Parts>
  Call& with(const Parts&... parts) {
    if (record().on) (append(line_, parts), ...);
    return *this;
  }

  /// `action() -> CUresult`, unless the call is to fail or what it needs is missing.
  template <class Action>
  CUresult run(Action action) {
    CUresult result = fault();
    if (result == CUDA_SUCCESS) result = missing();
    if (result == CUDA_SUCCESS) result = action();
    return finish(result);
  }

  /// As `run` for what releases something: a fault is reported after the action.
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

/// "CUDA_ERROR_INVALID_VALUE" and "invalid argument"; null for a number that is none of the driver's.
const char* name_of(CUresult code);
const char* meaning_of(CUresult code);

}  // namespace kmux::fake_cuda
