#include "graph_capture.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

#include "kmux/plugin/sink.h"

namespace kmux::order {
namespace {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface

const DriverTable& opened() {
  const DriverTable* const driver = open_driver(discard());
  if (driver == nullptr) throw std::runtime_error("libcuda.so.1 cannot be opened");
  return *driver;
}

void check(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
}

CUstream of(void* stream) { return static_cast<CUstream>(stream); }

}  // namespace

GraphCapture::GraphCapture() : driver_(opened()) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  begin_ = reinterpret_cast<decltype(begin_)>(dlsym(library, "cuStreamBeginCapture_v2"));
  end_ = reinterpret_cast<decltype(end_)>(dlsym(library, "cuStreamEndCapture"));
  if (begin_ == nullptr || end_ == nullptr) throw std::runtime_error("the driver has no captures");
  CUcontext context = nullptr;
  check(driver_.primary_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(driver_.current_set(context), "cuCtxSetCurrent");
  check(driver_.primary_release(0), "cuDevicePrimaryCtxRelease");
}

void GraphCapture::begin(void* stream) const {
  check(begin_(of(stream), CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
}

bool GraphCapture::is_whole(void* stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  check(driver_.stream_capturing(of(stream), &status), "cuStreamIsCapturing");
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUgraph GraphCapture::end(void* stream) const {
  CUgraph graph = nullptr;
  check(end_(of(stream), &graph), "cuStreamEndCapture");
  return graph;
}

void GraphCapture::launch(CUgraph graph, void* stream) const {
  CUgraphExec executable = nullptr;
  check(driver_.graph_instantiate(&executable, graph, 0), "cuGraphInstantiateWithFlags");
  check(driver_.graph_launch(executable, of(stream)), "cuGraphLaunch");
  check(driver_.executable_destroy(executable), "cuGraphExecDestroy");
  destroy(graph);
}

void GraphCapture::destroy(CUgraph graph) const { check(driver_.graph_destroy(graph), "cuGraphDestroy"); }

}  // namespace kmux::order
