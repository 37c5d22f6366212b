#pragma once

#include "nvidia/launch/driver_abi.h"

namespace kmux::suite {

/// The driver calls that the suite itself makes, as an application would. Each throws if it fails.
///
/// Threads: any.
class RawDriver {
 public:
  /// Opens libcuda.so.1. Throws if it is missing.
  RawDriver();

  nvidia::CUcontext current() const;
  void begin_capture(void* stream) const;
  nvidia::CUgraph end_capture(void* stream) const;
  /// Instantiates `graph` on device 0, launches it `times` times on `stream`, waits and destroys both.
  void launch(nvidia::CUgraph graph, void* stream, int times) const;

 private:
  template <class Function>
  void open(Function& function, const char* symbol) const;

  void run(nvidia::CUgraph graph, void* stream, int times) const;

  void* library_;
  int (*current_)(nvidia::CUcontext*);
  int (*set_current_)(nvidia::CUcontext);
  int (*retain_)(nvidia::CUcontext*, int);
  int (*release_)(int);
  int (*begin_capture_)(void*, int);
  int (*end_capture_)(void*, nvidia::CUgraph*);
  int (*instantiate_)(nvidia::CUgraphExec*, nvidia::CUgraph, unsigned long long);
  int (*launch_)(nvidia::CUgraphExec, void*);
  int (*synchronize_)(void*);
  int (*destroy_)(nvidia::CUgraph);
  int (*destroy_executable_)(nvidia::CUgraphExec);
};

}  // namespace kmux::suite
