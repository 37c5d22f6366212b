#pragma once

// Calls of host functions that CuTe DSL has compiled to an object, and the CUDA runtime functions that such an object calls:
// each launch goes through the launcher, in the stream of the call, whatever stream and device the object names. The launch
// layer, the entry points and the program's part precede this text; the object is linked beside it.
// Source: CUDA Runtime API 12.8 to 13.0, cudaLaunchConfig_t and cudaLaunchAttribute; the output of export_to_c (CuTe DSL 4.8).
#include <stdint.h>
#include <string.h>

#include "printed/entry_points.h"

extern "C" {
/// The functions of the object.
struct kmux_host_object {
  void (*call)(void** args, int count);
  void (*init)(void** args);  // {&library, &result}
  void (*load)(void** args);  // {&library, &device, &result}
};
extern const kmux_host_object kmux_host_object_table[];
/// The number of arguments that `call` takes before stream and result; 1 if the first is the number of the function;
/// the index of the first argument of each function.
extern const unsigned kmux_host_numbers[];
}

namespace kmux::cutedsl {

/// One call of a host function, on behalf of which its launches are made.
class HostCall {
 public:
  /// The layout in which the object passes it.
  struct Config {
    unsigned grid[3];
    unsigned block[3];
    size_t dynamic_smem_bytes;
    void* stream;
    const nvidia::CUlaunchAttribute* attributes;
    unsigned attribute_count;
  };

  HostCall(const kmux_driver_env& env, const kmux_host_function& function, kmux_sink error)
      : env_(env), function_(function), error_(error) {}

  int run(void** args) {
    const unsigned count = kmux_host_numbers[0];
    const unsigned first = kmux_host_numbers[2 + function_.number];
    int number = static_cast<int>(function_.number) + 1;
    void* stream = env_.env.stream;
    int result = 0;
    auto** const all = static_cast<void**>(__builtin_alloca((count + 2) * sizeof(void*)));
    for (unsigned i = 0; i < count; ++i) all[i] = const_cast<uint64_t*>(kNothing);  // arguments of other functions
    if (kmux_host_numbers[1] != 0) all[0] = &number;
    for (unsigned i = 0; i < function_.argument_count; ++i) all[first + i] = args[i];
    all[count] = &stream;
    all[count + 1] = &result;
    HostCall* const outer = running;
    running = this;
    kmux_host_object_table[0].call(all, static_cast<int>(count + 2));
    running = outer;
    if (code_ != KMUX_OK || result == 0) return code_;
    return nvidia::fail(error_, KMUX_LAUNCH_FAILED,
                        "host function \"%s\" ended with %d (none of its launches did). Report this as a bug.",
                        function_.name, result);
  }

  /// Returns 0, or a number that makes the object end the function.
  int launch(const Config& config, const void* kernel, void** args) {
    if (code_ != KMUX_OK || kernel == nullptr) return kFailed;
    if (config.grid[0] == 0 || config.grid[1] == 0 || config.grid[2] == 0) return 0;
    kmux_driver_launch launch = {};
    launch.kernel = static_cast<unsigned>(reinterpret_cast<uintptr_t>(kernel)) - 1;
    launch.step = function_.step;
    memcpy(launch.grid, config.grid, sizeof launch.grid);
    memcpy(launch.block, config.block, sizeof launch.block);
    launch.dynamic_smem_bytes = config.dynamic_smem_bytes;
    launch.args = args;
    for (unsigned i = 0; i < config.attribute_count && code_ == KMUX_OK; ++i) take(config.attributes[i], &launch);
    if (code_ == KMUX_OK) code_ = env_.driver->launch(&env_, &launch, error_);
    return code_ == KMUX_OK ? 0 : kFailed;
  }

  static thread_local HostCall* running;

 private:
  static constexpr int kFailed = 1;
  static constexpr uint64_t kNothing[32] = {};  // as wide as the widest tensor

  void take(const nvidia::CUlaunchAttribute& attribute, kmux_driver_launch* launch) {
    const nvidia::CUlaunchAttributeValue& value = attribute.value;
    switch (attribute.id) {
      case nvidia::CU_LAUNCH_ATTRIBUTE_IGNORE:
        return;
      case nvidia::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (value.clusterDim.x * value.clusterDim.y * value.clusterDim.z <= 1) return;
        launch->cluster[0] = value.clusterDim.x;
        launch->cluster[1] = value.clusterDim.y;
        launch->cluster[2] = value.clusterDim.z;
        return;
      case nvidia::CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (value.cooperative != 0) launch->flags |= kmux_cooperative;
        return;
      case nvidia::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        if (value.programmaticStreamSerializationAllowed != 0) launch->flags |= kmux_programmatic_serialization;
        return;
      default:
        code_ = refuse(attribute);
    }
  }

  // An attribute of zeros requests nothing.
  int refuse(const nvidia::CUlaunchAttribute& attribute) {
    for (const char byte : attribute.value.pad) {
      if (byte == 0) continue;
      return nvidia::fail(
          error_, KMUX_UNSUPPORTED,
          "host function \"%s\" launches with attribute %d (which kmux does not pass on). Launch with grid, "
          "block, cluster, smem, cooperative and use_pdl alone.",
          function_.name, static_cast<int>(attribute.id));
    }
    return KMUX_OK;
  }

  const kmux_driver_env& env_;
  const kmux_host_function& function_;
  kmux_sink error_;
  int code_ = KMUX_OK;
};

thread_local HostCall* HostCall::running = nullptr;

// A kernel of the object is its number in the launcher plus one.
inline void* kernel_of(const char* name) {
  const nvidia::PlanFacts facts = nvidia::with_all_kernels(nvidia::program_facts);
  for (unsigned i = 0; i < facts.kernel_count; ++i) {
    if (strcmp(facts.kernels[i].name, name) == 0) return reinterpret_cast<void*>(uintptr_t{i} + 1);
  }
  return nullptr;
}

// Makes the object look up its kernels, which needs no driver here.
inline bool load_object() {
  void* library = nullptr;
  void** place = &library;
  int device = 0;
  int result = 0;
  void* init[] = {&place, &result};
  kmux_host_object_table[0].init(init);
  void* load[] = {&place, &device, &result};
  kmux_host_object_table[0].load(load);
  return result == 0;
}

}  // namespace kmux::cutedsl

static int kmux_call_host(const kmux_launch_env* env, const kmux_host_function& function, void** args,
                          kmux_sink error) {
  return kmux::cutedsl::HostCall(*kmux_env_of(env), function, error).run(args);
}

// The functions that the object calls. The launcher loads code, raises limits and checks launches: the others only return success.
extern "C" {
#define KMUX_FOR_OBJECT __attribute__((visibility("hidden")))

KMUX_FOR_OBJECT int _cudaLaunchKernelEx(const kmux::cutedsl::HostCall::Config* config, const void* kernel,
                                        void** args) {
  kmux::cutedsl::HostCall* const call = kmux::cutedsl::HostCall::running;
  return call == nullptr ? 1 : call->launch(*config, kernel, args);
}
KMUX_FOR_OBJECT int _cudaLibraryLoadData(void** library, const void* code, const void*, const void*, unsigned,
                                         const void*, const void*, unsigned) {
  *library = const_cast<void*>(code);
  return 0;
}
KMUX_FOR_OBJECT int _cudaLibraryGetKernel(void** kernel, void*, const char* name) {
  *kernel = kmux::cutedsl::kernel_of(name);
  return *kernel == nullptr ? 1 : 0;
}
KMUX_FOR_OBJECT int _cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
KMUX_FOR_OBJECT int _cudaSetDevice(int) { return 0; }
KMUX_FOR_OBJECT int _cudaDeviceGetAttribute(int* value, int, int) {
  *value = 0;
  return 0;
}
KMUX_FOR_OBJECT int _cuKernelGetAttribute(int* value, int, void*, int) {
  *value = 0;
  return 0;
}
KMUX_FOR_OBJECT int _cudaKernelSetAttributeForDevice(void*, int, int, int) { return 0; }
KMUX_FOR_OBJECT int _cudaFuncSetAttribute(const void*, int, int) { return 0; }

#undef KMUX_FOR_OBJECT
}

[[maybe_unused]] static const bool kmux_host_object_is_loaded = kmux::cutedsl::load_object();
