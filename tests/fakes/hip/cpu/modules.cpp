// Modules are shared libraries of the host; a launch runs their kernels block by block, one fiber a thread.
#include <cstring>
#include <deque>
#include <elf.h>
#include <memory>
#include <optional>

#include "kmux/plugin/dynamic_library.h"

#include "cpu/captures.h"
#include "fibers/fiber_group.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr std::size_t kMaxSharedBytes = 65536;
constexpr std::size_t kGuardBytes = 64;
constexpr int kSpoil = 0xa5;
constexpr char kGuard = 0x5a;

struct Extents {
  unsigned x, y, z;
};

// As device_code.h has them.
struct State {
  Extents thread, block, block_dim, grid_dim;
  unsigned index;
};
struct Calls {
  void (*wait_for_block)();
  void (*wait_for_wavefront)();
};

template <unsigned threads>
void wait_for_wavefront() {
  kmux::fibers::wait_for_subgroup(threads);
}

}  // namespace

// Modules that were unloaded stay, so that a launch of their code is found out.
struct ihipModuleSymbol_t {
  void (*kernel)(void** args);
  const unsigned* (*argument_sizes)();  // their number, then the bytes of each
  State* state;
  char* dynamic_smem;
  const ihipModule_t* module;
};

struct ihipModule_t {
  std::optional<kmux::MemoryLibrary> library = {};
  int device = 0;
  bool is_unloaded = false;
  std::deque<ihipModuleSymbol_t> functions = {};
};

namespace {

// Nothing for what is not an ELF file; 0 bytes for code of another machine.
std::size_t code_bytes(const void* code, int& machine) {
  Elf64_Ehdr file;
  std::memcpy(&file, code, sizeof file);
  machine = std::memcmp(file.e_ident, ELFMAG, SELFMAG) == 0 ? file.e_machine : 0;
  return file.e_shoff + std::size_t{file.e_shnum} * file.e_shentsize;
}

template <class T>
T* symbol_of(const kmux::MemoryLibrary& library, const std::string& name) {
  return reinterpret_cast<T*>(library.symbol(name));
}

bool is_for_current_device(const kmux::MemoryLibrary& library) {
  const std::lock_guard lock(world().mutex);
  const std::string arch = world().devices.at(static_cast<std::size_t>(current_device())).arch;
  return arch.substr(0, arch.find(':')) == symbol_of<char>(library, "kmux_code_arch");
}

// Static shared memory and the state are the library's, so one launch runs at a time.
std::mutex& running() {
  static std::mutex& the = *new std::mutex;
  return the;
}

void run_block(const ihipModuleSymbol_t& function, State at, std::size_t smem, void** args) {
  const Extents dim = at.block_dim;
  std::memset(function.dynamic_smem, kSpoil, smem);
  std::memset(function.dynamic_smem + smem, kGuard, kGuardBytes);
  kmux::fibers::run_group(dim.x * dim.y * dim.z, [&](unsigned i) {
    State own = at;
    own.index = i;
    own.thread = {i % dim.x, i / dim.x % dim.y, i / dim.x / dim.y};
    *function.state = own;
    function.kernel(args);
  });
}

// Did a kernel write past its dynamic shared memory?
bool is_overrun(const ihipModuleSymbol_t& function, std::size_t smem) {
  for (std::size_t i = 0; i < kGuardBytes; ++i) {
    if (function.dynamic_smem[smem + i] != kGuard) return true;
  }
  return false;
}

int run_grid(const ihipModuleSymbol_t& function, Extents grid, Extents block, std::size_t smem, void** args) {
  const std::lock_guard lock(running());
  State at{{}, {}, block, grid, 0};
  for (at.block.z = 0; at.block.z < grid.z; ++at.block.z) {
    for (at.block.y = 0; at.block.y < grid.y; ++at.block.y) {
      for (at.block.x = 0; at.block.x < grid.x; ++at.block.x) {
        run_block(function, at, smem, args);
        if (is_overrun(function, smem)) return kIllegalAddress;
      }
    }
  }
  return kHipSuccess;
}

struct Launch {
  const ihipModuleSymbol_t* function;
  Extents grid, block;
  unsigned smem;
};

int run(const Launch& launch, void** args) {
  if (launch.function->module->is_unloaded) {
    note_misuse("a kernel was launched after its module was unloaded");
    return kInvalidDeviceFunction;
  }
  try {
    return run_grid(*launch.function, launch.grid, launch.block, launch.smem, args);
  } catch (const kmux::fibers::Deadlock&) {
    return kLaunchTimeOut;
  }
}

// A launch that runs later, with the values that its arguments have now.
std::function<int()> recorded(const Launch& launch, void** args) {
  const unsigned* const sizes = launch.function->argument_sizes();
  std::vector<std::string> values;
  for (unsigned i = 0; i < sizes[0]; ++i) values.emplace_back(static_cast<const char*>(args[i]), sizes[i + 1]);
  return [launch, values]() mutable {
    std::vector<void*> pointers;
    for (std::string& value : values) pointers.push_back(value.data());
    return run(launch, pointers.data());
  };
}

int launch(const Launch& launch, hipStream_t stream, void** args) {
  const auto [function, grid, block, smem] = launch;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (function == nullptr) return kInvalidHandle;
  if (threads == 0 || threads > kMaxThreads || grid.x == 0 || grid.y == 0 || grid.z == 0) return kInvalidConfiguration;
  if (smem > kMaxSharedBytes) return kInvalidValue;
  if (function->module->device != current_device()) return kInvalidDeviceFunction;
  if (capture_of(stream) != nullptr) return submit(stream, recorded(launch, args));
  return submit(stream, [&] { return run(launch, args); });
}

}  // namespace

int hipModuleLoadData(hipModule_t* module, const void* code) {
  KMUX_BEGIN("hipModuleLoadData");
  int machine = 0;
  const std::size_t bytes = code_bytes(code, machine);
  if (machine == 0) return kInvalidImage;
  if (machine != EM_X86_64 && machine != EM_AARCH64) return kNoBinaryForGpu;
  auto library = kmux::MemoryLibrary::open({static_cast<const char*>(code), bytes}, "hip-on-cpu");
  if (!library) return kSharedObjectInitFailed;
  if (!is_for_current_device(*library)) return kNoBinaryForGpu;
  const bool is_wide = *symbol_of<int>(*library, "kmux_code_wavefront") == 64;
  *symbol_of<Calls>(*library, "kmux_calls") = {kmux::fibers::wait_for_group,
                                               is_wide ? wait_for_wavefront<64> : wait_for_wavefront<32>};
  static std::deque<ihipModule_t>& all = *new std::deque<ihipModule_t>;
  const std::lock_guard lock(world().mutex);
  *module = &all.emplace_back(*std::move(library), current_device());
  world().modules.insert(*module);
  return kHipSuccess;
}

int hipModuleUnload(hipModule_t module) {
  const int fault = begin("hipModuleUnload");
  if (const int refused = check_unsafe_call()) return refused;
  const std::lock_guard lock(world().mutex);
  if (world().modules.erase(module) == 0) return kInvalidHandle;
  module->is_unloaded = true;
  module->library.reset();
  return fault;
}

int hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  KMUX_BEGIN("hipModuleGetFunction");
  auto* const kernel = symbol_of<void(void**)>(*module->library, "kmux_kernel_" + std::string(name));
  if (kernel == nullptr) return kNotFound;
  module->functions.push_back(
      {kernel, symbol_of<const unsigned*()>(*module->library, "kmux_argument_sizes_" + std::string(name)),
       symbol_of<State>(*module->library, "kmux_gpu"), symbol_of<char>(*module->library, "kmux_dynamic_smem"), module});
  *function = &module->functions.back();
  return kHipSuccess;
}

int hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                          void** arguments, void**) {
  if (!world().recording.load(std::memory_order_relaxed)) return kHipSuccess;
  KMUX_BEGIN("hipModuleLaunchKernel");
  return launch({function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, arguments);
}

int hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                     hipStream_t stream, void** arguments) {
  KMUX_BEGIN("hipModuleLaunchCooperativeKernel");
  return launch({function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, arguments);
}
