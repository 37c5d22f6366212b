#include "recorded_driver.h"

#include <cstring>
#include <utility>

namespace kmux::nvidia {

namespace {

RecordedDriver* recorder = nullptr;

std::string number(const void* handle) { return std::to_string(reinterpret_cast<std::uintptr_t>(handle)); }

std::string extents(unsigned x, unsigned y, unsigned z) {
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

// Returns the first 8 bytes of an argument, which are all that is shown.
std::string word(const void* argument, size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, argument, size < sizeof(value) ? size : sizeof(value));
  return std::to_string(value);
}

std::string fill(const CUDA_MEMSET_NODE_PARAMS& params) {
  return " fill=" + std::to_string(params.dst) + " value=" + std::to_string(params.value) +
         " bytes=" + std::to_string(params.width * params.elementSize * params.height);
}

std::string after(const CUgraphNode* nodes, size_t count) { return count == 0 ? "" : " after=" + number(*nodes); }

}  // namespace

struct RecordedCalls {
  static CUresult record(const std::string& symbol, const std::string& detail) {
    return recorder->record(symbol, detail);
  }

  static std::vector<size_t> parameters(CUkernel kernel) {
    const auto found = recorder->parameters.find(reinterpret_cast<std::uintptr_t>(kernel));
    return found == recorder->parameters.end() ? std::vector<size_t>{sizeof(void*)} : found->second;
  }

  static std::string launch(const CUDA_KERNEL_NODE_PARAMS& params) {
    std::string text = " kernel=" + number(params.kern) +
                       " grid=" + extents(params.gridDimX, params.gridDimY, params.gridDimZ) +
                       " block=" + extents(params.blockDimX, params.blockDimY, params.blockDimZ) +
                       " smem=" + std::to_string(params.sharedMemBytes) + " args=";
    const std::vector<size_t> sizes = parameters(params.kern);
    for (size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? "," : "") + word(params.kernelParams[i], sizes[i]);
    return text;
  }

  template <class Handle>
  static CUresult make(const std::string& symbol, const std::string& detail, Handle* handle, int counted) {
    const std::uintptr_t made = recorder->make();
    const CUresult result = record(symbol, detail + " -> " + std::to_string(made));
    if (result != CUDA_SUCCESS) return result;
    *handle = reinterpret_cast<Handle>(made);
    recorder->live_ += counted;
    return result;
  }

  static CUresult destroy(const std::string& symbol, const void* handle) {
    const CUresult result = record(symbol, " " + number(handle));
    if (result == CUDA_SUCCESS) --recorder->live_;
    return result;
  }

  // Parameters are laid out as on a device, each aligned to its own size up to 64 bytes.
  static CUresult parameter(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
    const std::vector<size_t> sizes = parameters(kernel);
    if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    for (size_t i = 0; i <= index; ++i) {
      const size_t alignment = sizes[i] < 64 ? sizes[i] : 64;
      *offset = (*offset + alignment - 1) / alignment * alignment;
      if (i < index) *offset += sizes[i];
    }
    *size = sizes[index];
    return record("cuKernelGetParamInfo", " kernel=" + number(kernel) + " index=" + std::to_string(index));
  }

  static void fill_graphs(DriverTable& table) {
    table.kernel_parameter = parameter;
    table.graph_create = [](CUgraph* graph, unsigned) { return make("cuGraphCreate", "", graph, 1); };
    table.graph_destroy = [](CUgraph graph) { return destroy("cuGraphDestroy", graph); };
    table.graph_add_kernel = [](CUgraphNode* node, CUgraph graph, const CUgraphNode* nodes, size_t count,
                                const CUDA_KERNEL_NODE_PARAMS* params) {
      return make("cuGraphAddKernelNode", " " + number(graph) + launch(*params) + after(nodes, count), node, 0);
    };
    table.graph_add_memset = [](CUgraphNode* node, CUgraph graph, const CUgraphNode* nodes, size_t count,
                                const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
      return make("cuGraphAddMemsetNode",
                  " " + number(graph) + fill(*params) + " context=" + number(context) + after(nodes, count), node, 0);
    };
    table.graph_set_attribute = [](CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue* value) {
      const auto& cluster = value->clusterDim;
      return record("cuGraphKernelNodeSetAttribute",
                    " " + number(node) + " id=" + std::to_string(id) + " " + extents(cluster.x, cluster.y, cluster.z));
    };
    table.exchange_capture_mode = [](CUstreamCaptureMode* mode) {
      const CUstreamCaptureMode before = std::exchange(recorder->capture_mode, *mode);
      return *mode = before, record("cuThreadExchangeStreamCaptureMode", "");
    };
    table.graph_instantiate = [](CUgraphExec* executable, CUgraph graph, unsigned long long) {
      return make("cuGraphInstantiateWithFlags", " " + number(graph), executable, 1);
    };
  }

  static void fill_executables(DriverTable& table) {
    table.executable_set_kernel = [](CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
      return record("cuGraphExecKernelNodeSetParams", " " + number(executable) + " " + number(node) + launch(*params));
    };
    table.executable_set_memset = [](CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params,
                                     CUcontext context) {
      return record("cuGraphExecMemsetNodeSetParams",
                    " " + number(executable) + " " + number(node) + fill(*params) + " context=" + number(context));
    };
    table.executable_enable = [](CUgraphExec executable, CUgraphNode node, unsigned enabled) {
      return record("cuGraphNodeSetEnabled",
                    " " + number(executable) + " " + number(node) + " " + std::to_string(enabled));
    };
    table.executable_destroy = [](CUgraphExec executable) { return destroy("cuGraphExecDestroy", executable); };
    table.graph_launch = [](CUgraphExec executable, CUstream stream) {
      return record("cuGraphLaunch", " " + number(executable) + " stream=" + number(stream));
    };
  }

  // An encoded map begins with its address, as far as these tests check.
  static CUresult encode(const std::string& symbol, const std::string& detail, void* map, void* base) {
    const CUresult result = record(symbol, detail + " base=" + number(base));
    if (result != CUDA_SUCCESS) return result;
    std::memset(map, 0, 128);
    std::memcpy(map, &base, sizeof(base));
    return result;
  }

  static std::string geometry(int dtype, uint32_t rank, const uint64_t* dims, const uint64_t* strides) {
    std::string text = " dtype=" + std::to_string(dtype) + " dims=";
    for (uint32_t i = 0; i < rank; ++i) text += (i > 0 ? "," : "") + std::to_string(dims[i]);
    text += " strides=";
    for (uint32_t i = 0; i + 1 < rank; ++i) text += (i > 0 ? "," : "") + std::to_string(strides[i]);
    return text;
  }

  static void fill_maps(DriverTable& table) {
    table.encode_tiled = [](void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims,
                            const uint64_t* strides, const uint32_t* box, const uint32_t* element_strides,
                            int interleave, int swizzle, int l2_promotion, int oob_fill) {
      std::string text = geometry(dtype, rank, dims, strides) + " box=";
      for (uint32_t i = 0; i < rank; ++i) text += (i > 0 ? "," : "") + std::to_string(box[i]);
      text += " step=" + std::to_string(element_strides[0]) + " modes=" + std::to_string(interleave) + "," +
              std::to_string(swizzle) + "," + std::to_string(l2_promotion) + "," + std::to_string(oob_fill);
      return encode("cuTensorMapEncodeTiled", text, map, base);
    };
    table.encode_im2col = [](void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims,
                             const uint64_t* strides, const int* lower, const int* upper, uint32_t channels,
                             uint32_t pixels, const uint32_t* element_strides, int interleave, int swizzle,
                             int l2_promotion, int oob_fill) {
      const std::string text = geometry(dtype, rank, dims, strides) + " corners=" + std::to_string(lower[0]) + "," +
                               std::to_string(upper[0]) + " channels=" + std::to_string(channels) +
                               " pixels=" + std::to_string(pixels) + " step=" + std::to_string(element_strides[0]) +
                               " modes=" + std::to_string(interleave) + "," + std::to_string(swizzle) + "," +
                               std::to_string(l2_promotion) + "," + std::to_string(oob_fill);
      return encode("cuTensorMapEncodeIm2col", text, map, base);
    };
    table.replace_address = [](void* map, void* base) {
      const CUresult result = record("cuTensorMapReplaceAddress", " base=" + number(base));
      if (result == CUDA_SUCCESS) std::memcpy(map, &base, sizeof(base));
      return result;
    };
  }
};

RecordedDriver::RecordedDriver() {
  recorder = this;
  table.error_name = [](CUresult, const char** text) { return *text = "CUDA_ERROR_TEST", CUDA_SUCCESS; };
  table.error_string = [](CUresult, const char** text) { return *text = "a test asked for it", CUDA_SUCCESS; };
  RecordedCalls::fill_graphs(table);
  RecordedCalls::fill_executables(table);
  RecordedCalls::fill_maps(table);
}

RecordedDriver::~RecordedDriver() { recorder = nullptr; }

std::vector<std::string> RecordedDriver::take() { return std::exchange(calls_, {}); }

CUresult RecordedDriver::record(const std::string& symbol, const std::string& detail) {
  calls_.push_back(symbol + detail);
  const auto failure = failures_.find(symbol);
  if (failure == failures_.end()) return CUDA_SUCCESS;
  const CUresult result = failure->second;
  failures_.erase(failure);
  return result;
}

std::uintptr_t RecordedDriver::make() { return ++last_handle_; }

}  // namespace kmux::nvidia
