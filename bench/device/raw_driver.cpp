#include "raw_driver.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace kmux::suite {
namespace {

constexpr int kCaptureThreadLocal = 1;  // CUDA Driver API, CUstreamCaptureMode

void check(int code, const char* call) {
  if (code != 0) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

}  // namespace

template <class Function>
void RawDriver::open(Function& function, const char* symbol) const {
  function = reinterpret_cast<Function>(dlsym(library_, symbol));
}

RawDriver::RawDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
  if (library_ == nullptr) throw std::runtime_error("libcuda.so.1 cannot be opened");
  open(current_, "cuCtxGetCurrent");
  open(set_current_, "cuCtxSetCurrent");
  open(retain_, "cuDevicePrimaryCtxRetain");
  open(release_, "cuDevicePrimaryCtxRelease_v2");
  open(begin_capture_, "cuStreamBeginCapture_v2");
  open(end_capture_, "cuStreamEndCapture");
  open(instantiate_, "cuGraphInstantiateWithFlags");
  open(launch_, "cuGraphLaunch");
  open(synchronize_, "cuStreamSynchronize");
  open(destroy_, "cuGraphDestroy");
  open(destroy_executable_, "cuGraphExecDestroy");
}

nvidia::CUcontext RawDriver::current() const {
  nvidia::CUcontext context = nullptr;
  check(current_(&context), "cuCtxGetCurrent");
  return context;
}

void RawDriver::begin_capture(void* stream) const {
  if (begin_capture_ == nullptr) throw std::runtime_error("the driver lacks cuStreamBeginCapture");
  check(begin_capture_(stream, kCaptureThreadLocal), "cuStreamBeginCapture");
}

nvidia::CUgraph RawDriver::end_capture(void* stream) const {
  nvidia::CUgraph graph = nullptr;
  check(end_capture_(stream, &graph), "cuStreamEndCapture");
  return graph;
}

void RawDriver::launch(nvidia::CUgraph graph, void* stream, int times) const {
  const nvidia::CUcontext before = current();
  nvidia::CUcontext primary = nullptr;
  check(retain_(&primary, 0), "cuDevicePrimaryCtxRetain");
  check(set_current_(primary), "cuCtxSetCurrent");
  run(graph, stream, times);
  check(set_current_(before), "cuCtxSetCurrent");
  check(release_(0), "cuDevicePrimaryCtxRelease");
}

void RawDriver::run(nvidia::CUgraph graph, void* stream, int times) const {
  nvidia::CUgraphExec executable = nullptr;
  check(instantiate_(&executable, graph, 0), "cuGraphInstantiateWithFlags");
  for (int i = 0; i < times; ++i) check(launch_(executable, stream), "cuGraphLaunch");
  check(synchronize_(stream), "cuStreamSynchronize");
  check(destroy_executable_(executable), "cuGraphExecDestroy");
  check(destroy_(graph), "cuGraphDestroy");
}

}  // namespace kmux::suite
