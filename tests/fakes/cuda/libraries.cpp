#include <algorithm>

#include "call.h"
#include "geometry.h"
#include "ptx.h"
#include "work.h"

namespace kmux::fake_cuda {
namespace {

// PTX runs on its architecture and on newer ones; with suffix "a" only on its architecture.
CUresult check_ptx(const PtxTarget& target) {
  if (target.arch == 0 || current_device() < 0) return CUDA_SUCCESS;
  const Device& device = world().devices[static_cast<std::size_t>(current_device())];
  const int number = device.major * 10 + device.minor;
  const bool runs = target.is_exact ? target.arch == number : target.arch <= number;
  return runs ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

bool has_code_for(const std::vector<FatbinCode>& fatbin, const Device& device) {
  return std::ranges::any_of(fatbin, [&](const FatbinCode& code) {
    if (code.is_ptx) return code.arch <= device.major * 10 + device.minor;
    return code.arch / 10 == device.major && code.arch % 10 <= device.minor;
  });
}

// Loading is lazy: a kernel lookup reports invalid code. Code for 9.0 runs on 9.1, but not on 10.0.
CUresult check_code(const Library& library) {
  if (library.is_junk) return CUDA_ERROR_INVALID_IMAGE;
  if (!library.cubin && library.fatbin.empty()) return check_ptx(library.ptx_target);
  if (current_device() < 0) return CUDA_SUCCESS;
  const Device& device = world().devices[static_cast<std::size_t>(current_device())];
  if (!library.cubin) return has_code_for(library.fatbin, device) ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
  const int arch = library.cubin->arch;
  return arch / 10 == device.major && arch % 10 <= device.minor ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

// Code that the fake cannot read, compressed or bytes of a test, has the kernels that the test has registered.
bool has_kernel(const Library& library, const std::string& name) {
  if (world().hidden.contains(name)) return false;
  if (library.cubin) return library.cubin->kernels.contains(name);
  if (library.is_ptx) return library.ptx.contains(name);
  return world().parameters.contains(name) || world().static_shared.contains(name);
}

int static_shared_of(const Library& library, const std::string& name) {
  if (const auto told = world().static_shared.find(name); told != world().static_shared.end()) return told->second;
  return library.cubin ? library.cubin->kernels.at(name).static_shared_bytes : 0;
}

CUkernel make_kernel(CUlibrary handle, const Library& library, const std::string& name) {
  return world().kernels.add({name, handle, static_shared_of(library, name)});
}

// Returns true if the options of a load are valid. Source: CUDA Driver API, CUjit_option and CUlibraryOption.
bool are_options(const int* options, void* const* values, unsigned count, int most) {
  if (count == 0) return true;
  if (options == nullptr || values == nullptr) return false;
  return std::all_of(options, options + count, [&](int option) { return option >= 0 && option <= most; });
}

// Returns nothing for an attribute that kernels do not have.
std::optional<int> attribute_of(const Kernel& kernel, const Kernel::OnDevice& there, CUfunction_attribute attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return most_threads_of(kernel);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return kernel.static_shared_bytes;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 32;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return kernel.max_dynamic_shared_on(there);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return there.large_clusters ? 1 : 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return there.shared_carveout;
  }
  return std::nullopt;
}

CUresult set_attribute(Kernel& kernel, CUdevice device, CUfunction_attribute attribute, int value) {
  Kernel::OnDevice& there = kernel.on_device[device];
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    there.large_clusters = value != 0;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 && value <= 100) {
    there.shared_carveout = value;
    return CUDA_SUCCESS;
  }
  const int most = world().devices[device].shared_bytes_opt_in - kernel.static_shared_bytes;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  there.max_dynamic_shared_bytes = value;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, int* jit_options, void** jit_values,
                           unsigned jit_count, int* library_options, void** library_values, unsigned library_count) {
  constexpr int kLastJitOption = 36, kLastLibraryOption = 1;
  Call call("cuLibraryLoadData", Needs::kInit);
  return call.with(" code ", code, " jit_options ", jit_count, " library_options ", library_count).run([&] {
    if (library == nullptr || code == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!are_options(jit_options, jit_values, jit_count, kLastJitOption) ||
        !are_options(library_options, library_values, library_count, kLastLibraryOption)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    Library loaded{read_cubin(code), is_junk(code)};
    loaded.fatbin = read_fatbin(code);
    if (!loaded.cubin && !loaded.is_junk && loaded.fatbin.empty()) {
      loaded.ptx = read_ptx(static_cast<const char*>(code));
      loaded.ptx_target = read_ptx_target(static_cast<const char*>(code));
      loaded.is_ptx = is_ptx(static_cast<const char*>(code));
    }
    call.with(" -> ", *library = world().libraries.add(std::move(loaded)));
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  finish_everything();
  return Call("cuLibraryUnload", Needs::kInit).with(" ", library).release([&] {
    if (world().libraries.find(library) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    world().libraries.erase(library);
    world().kernels.erase_if([&](const Kernel& kernel) { return kernel.library == library; });
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  Call call("cuLibraryGetKernel", Needs::kInit);
  return call.with(" ", library, " ", name).run([&] {
    Library* found = world().libraries.find(library);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult wrong = check_code(*found); wrong != CUDA_SUCCESS) return wrong;
    if (!has_kernel(*found, name)) return CUDA_ERROR_NOT_FOUND;
    const auto [entry, added] = found->kernels.try_emplace(name, nullptr);
    if (added) entry->second = make_kernel(library, *found, name);
    call.with(" -> ", *kernel = entry->second);
    return CUDA_SUCCESS;
  });
}

// A library has one instance of its variables on each device. They are in host memory, as all memory here.
CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library, const char* name) {
  Call call("cuLibraryGetGlobal", Needs::kContext);
  return call.with(" ", library, " ", name).run([&] {
    Library* found = world().libraries.find(library);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult wrong = check_code(*found); wrong != CUDA_SUCCESS) return wrong;
    if (!found->cubin || !found->cubin->variables.contains(name)) return CUDA_ERROR_NOT_FOUND;
    const int device = current_device();
    auto& memory = found->variables[{device, name}];
    *bytes = found->cubin->variables.at(name);
    if (memory == nullptr) memory = std::make_shared<std::vector<char>>(*bytes);
    *address = reinterpret_cast<CUdeviceptr>(memory->data());
    world().memory[static_cast<std::uintptr_t>(*address)] = {*bytes, device, true};
    call.with(" -> bytes ", *bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  Call call("cuKernelGetFunction", Needs::kContext);
  const Kernel* found = world().kernels.find(kernel);
  call.with(" ", found == nullptr ? "?" : found->name.c_str());
  return call.run([&] {
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    call.with(" -> ", *function = function_of(kernel, current_device()));
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  Call call("cuKernelGetAttribute", Needs::kInit);
  Kernel* found = world().kernels.find(kernel);
  call.with(" ", found == nullptr ? "?" : found->name.c_str(), " attribute ", static_cast<int>(attribute));
  return call.with(" device ", device).run([&] {
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const std::optional<int> read = attribute_of(*found, found->on_device[device], attribute);
    if (!read) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *value = *read);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  Call call("cuKernelGetParamInfo", Needs::kInit);
  const Kernel* found = world().kernels.find(kernel);
  call.with(" ", found == nullptr ? "?" : found->name.c_str(), " index ", index);
  return call.run([&] {
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto* parameters = world().parameters_of(*found);
    if (parameters == nullptr || index >= parameters->size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = (*parameters)[index].offset;
    *size = (*parameters)[index].size;
    call.with(" -> offset ", *offset, " size ", *size);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  Call call("cuKernelSetAttribute", Needs::kInit);
  Kernel* found = world().kernels.find(kernel);
  call.with(" ", found == nullptr ? "?" : found->name.c_str(), " attribute ", static_cast<int>(attribute));
  return call.with(" value ", value, " device ", device).run([&] {
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return set_attribute(*found, device, attribute, value);
  });
}

}  // namespace kmux::fake_cuda
