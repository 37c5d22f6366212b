#include "api.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kmux::opencl {
namespace {

// Source: Khronos, CL/cl.h.
constexpr auto kNames = std::to_array<std::pair<Code, const char*>>({
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
});

constexpr std::array kUnavailable = {kDeviceNotFound, Code{-2}, kMemoryObjectFailure, kOutOfResources,
                                     kOutOfHostMemory};

}  // namespace

Result<Api> Api::open(const std::string& name) {
  const std::vector<std::string> names =
      name.empty() ? std::vector<std::string>{"libOpenCL.so.1", "libOpenCL.so"} : std::vector<std::string>{name};
  auto library = DynamicLibrary::open(names);
  if (!library) {
    Error error = std::move(library).error();
    error.message += " Install a loader of OpenCL drivers (Debian: ocl-icd-libopencl1) and the driver of the device.";
    return error;
  }
  Api api(*library);
  Status status = Ok{};
  const auto find = [&](auto*& function, const char* symbol) {
    auto found = library->function<std::remove_pointer_t<std::remove_reference_t<decltype(function)>>>(symbol);
    if (found) function = *found;
    return found ? Status(Ok{}) : Status(std::move(found).error());
  };
#define KMUX_OPENCL_NEEDED(name, ...) \
  if (status.ok()) status = find(api.name, #name);
#define KMUX_OPENCL_OPTIONAL(name, ...) std::ignore = find(api.name, #name);
  KMUX_OPENCL_FUNCTIONS(KMUX_OPENCL_NEEDED, KMUX_OPENCL_OPTIONAL)
#undef KMUX_OPENCL_NEEDED
#undef KMUX_OPENCL_OPTIONAL
  KMUX_TRY(std::move(status));
  return api;
}

const char* name_of(Code code) {
  const auto found = std::ranges::find(kNames, code, &std::pair<Code, const char*>::first);
  return found == kNames.end() ? "" : found->second;
}

std::string failure_of(const char* call, Code code) {
  return std::string(call) + " failed with " + std::to_string(code) + " " + name_of(code);
}

Status check(const char* call, Code code, const std::string& detail) {
  if (code == kSuccess) return Ok{};
  const bool is_missing = std::ranges::find(kUnavailable, code) != kUnavailable.end();
  return make_error(is_missing ? ErrorCode::kUnavailable : ErrorCode::kLaunchFailed,
                    failure_of(call, code) + " (" + detail + "). Look for the number in OpenCL's specification.");
}

}  // namespace kmux::opencl
