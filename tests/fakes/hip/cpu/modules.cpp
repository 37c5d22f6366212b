// Modules are kernels of the backend for CPUs, and a launch runs all of its blocks.
#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>

#include "cpu/captures.h"
#include "cpu/code_object.h"
#include "kernels/grid_code.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr std::size_t kMaxSharedBytes = 65536;
constexpr std::size_t kSizesOfKernel = 1025;  // device_code.h: their number, then the bytes of each

using kmux::fakes::GridCode;
using kmux::fakes::GridExtents;
using kmux::fakes::GridFault;

}  // namespace

// Keeps unloaded modules, so that a launch of their code is detected.
struct ihipModuleSymbol_t {
  std::size_t kernel;
  ihipModule_t* module;
};

struct ihipModule_t {
  std::unique_ptr<GridCode> code;
  std::vector<std::string> kernels;  // by name
  std::vector<std::string> variables;  // by name
  int device = 0;
  std::once_flag asked = {};
  std::vector<unsigned> argument_sizes = {};  // once queried, a row for each kernel
  std::set<std::uintptr_t> places = {};  // of the variables that were queried
  bool is_unloaded = false;
  std::deque<ihipModuleSymbol_t> functions = {};
};

namespace {

bool is_for_current_device(const std::string& arch_of_code) {
  const std::lock_guard lock(world().mutex);
  const std::string arch = world().devices.at(static_cast<std::size_t>(current_device())).arch;
  return arch.substr(0, arch.find(':')) == arch_of_code;
}

int code_of(const kmux::Result<GridFault>& result) {
  if (!result) return kLaunchFailure;
  if (*result == GridFault::kDeadlock) return kLaunchTimeOut;
  return *result == GridFault::kOverrun ? kIllegalAddress : kHipSuccess;
}

struct Launch {
  const ihipModuleSymbol_t* function;
  GridExtents extents;
};

int run(const Launch& launch, void** args) {
  if (launch.function->module->is_unloaded) {
    note_misuse("a kernel was launched after its module was unloaded");
    return kInvalidDeviceFunction;
  }
  return code_of(launch.function->module->code->launch(launch.function->kernel, launch.extents, args));
}

// Returns the sizes of a kernel's arguments, as its code reports them.
const unsigned* argument_sizes(const ihipModuleSymbol_t& function) {
  ihipModule_t& module = *function.module;
  std::call_once(module.asked, [&] {
    module.argument_sizes.resize((module.kernels.size() + 1) * kSizesOfKernel);
    void* rows = module.argument_sizes.data();
    void* const arguments[] = {rows};
    module.code->launch(module.kernels.size(), {{1, 1, 1}, {1, 1, 1}}, arguments).value();
  });
  return module.argument_sizes.data() + function.kernel * kSizesOfKernel;
}

// Returns a deferred launch with the current values of its arguments.
std::function<int()> recorded(const Launch& launch, void** args) {
  if (launch.function->module->is_unloaded) return [launch] { return run(launch, nullptr); };
  const unsigned* const sizes = argument_sizes(*launch.function);
  std::vector<std::string> values;
  for (unsigned i = 0; i < sizes[0]; ++i) values.emplace_back(static_cast<const char*>(args[i]), sizes[i + 1]);
  return [launch, values]() mutable {
    std::vector<void*> pointers;
    for (std::string& value : values) pointers.push_back(value.data());
    return run(launch, pointers.data());
  };
}

// Returns 0 if a device would accept the launch, else its error code.
int check(const Launch& launch) {
  const auto& [function, extents] = launch;
  const auto& [grid, block, smem] = extents;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (function == nullptr) return kInvalidHandle;
  if (threads == 0 || threads > kMaxThreads || grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return kInvalidConfiguration;
  if (smem > kMaxSharedBytes) return kInvalidValue;
  return function->module->device == current_device() ? kHipSuccess : kInvalidDeviceFunction;
}

int launch(const Launch& launch, hipStream_t stream, void** args) {
  if (const int refused = check(launch)) return refused;
  if (capture_of(stream) != nullptr) return submit(stream, recorded(launch, args));
  return submit(stream, [&] { return run(launch, args); });
}

}  // namespace

int kmux::fake_hip::work_of_kernel(const hip::KernelNodeParams& params, std::function<int()>& work) {
  const auto& [block, extra, function, grid, arguments, shared_bytes] = params;
  const ::Launch launch{static_cast<hipFunction_t>(function),
                        {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes}};
  if (const int refused = check(launch)) return refused;
  work = recorded(launch, arguments);
  return kHipSuccess;
}

ReturnCode hipModuleLoadData(hipModule_t* module, const void* code) {
  KMUX_BEGIN("hipModuleLoadData");
  if (!is_code(code)) return kInvalidImage;
  if (!is_for_this_machine(code)) return kNoBinaryForGpu;
  const auto unpacked = unpack(code);
  if (!unpacked) return kSharedObjectInitFailed;
  if (!is_for_current_device(unpacked->arch)) return kNoBinaryForGpu;
  auto kernels = GridCode::load(unpacked->compiled);
  if (!kernels) return kSharedObjectInitFailed;
  static std::deque<ihipModule_t>& all = *new std::deque<ihipModule_t>;
  const std::lock_guard lock(world().mutex);
  *module = &all.emplace_back(*std::move(kernels), unpacked->kernels, unpacked->variables, current_device());
  world().modules.insert(*module);
  return kHipSuccess;
}

ReturnCode hipModuleUnload(hipModule_t module) {
  const int fault = begin("hipModuleUnload");
  if (const int refused = check_unsafe_call()) return refused;
  const std::lock_guard lock(world().mutex);
  if (world().modules.erase(module) == 0) return kInvalidHandle;
  module->is_unloaded = true;
  for (const std::uintptr_t place : module->places) world().variables.erase(place);
  module->code.reset();
  return fault;
}

ReturnCode hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  KMUX_BEGIN("hipModuleGetFunction");
  const auto found = std::find(module->kernels.begin(), module->kernels.end(), name);
  if (found == module->kernels.end()) return kNotFound;
  module->functions.push_back({static_cast<std::size_t>(found - module->kernels.begin()), module});
  *function = &module->functions.back();
  return kHipSuccess;
}

ReturnCode hipModuleGetGlobal(void** address, std::size_t* bytes, hipModule_t module, const char* name) {
  KMUX_BEGIN("hipModuleGetGlobal");
  const auto found = std::find(module->variables.begin(), module->variables.end(), name);
  if (found == module->variables.end()) return kNotFound;
  const auto index = static_cast<std::size_t>(found - module->variables.begin());
  std::uint64_t place[2] = {};
  void* const arguments[] = {place};
  if (!module->code->launch(module->kernels.size() + 1 + index, {{1, 1, 1}, {1, 1, 1}}, arguments))
    return kLaunchFailure;
  *address = reinterpret_cast<void*>(place[0]);
  *bytes = place[1];
  const std::lock_guard lock(world().mutex);
  world().variables[place[0]] = place[1];
  module->places.insert(place[0]);
  return kHipSuccess;
}

ReturnCode hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void** arguments, void**) {
  if (!world().recording.load(std::memory_order_relaxed)) return kHipSuccess;
  KMUX_BEGIN("hipModuleLaunchKernel");
  return launch({function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}}, stream, arguments);
}

ReturnCode hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                            hipStream_t stream, void** arguments) {
  KMUX_BEGIN("hipModuleLaunchCooperativeKernel");
  return launch({function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}}, stream, arguments);
}
