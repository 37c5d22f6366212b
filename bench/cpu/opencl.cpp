#include "opencl.h"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "kmux/plugin/dynamic_library.h"

namespace kmux::bench::spmd {
namespace {

// Khronos OpenCL Registry, "The OpenCL Specification", 1.2: types, constants and functions by their names there.
using Handle = void*;
constexpr std::uint64_t kDeviceTypeAll = 0xFFFFFFFF;
constexpr std::uint32_t kPlatformName = 0x0902;
constexpr std::uint32_t kProgramBuildLog = 0x1183;
constexpr std::uint64_t kReadWriteHostMemory = (1U << 0) | (1U << 3);

/// The OpenCL functions in use.
struct Api {
  explicit Api(DynamicLibrary opened) : library(std::move(opened)) {
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name).value());
    };
    find(platforms, "clGetPlatformIDs");
    find(platform_info, "clGetPlatformInfo");
    find(devices, "clGetDeviceIDs");
    find(context, "clCreateContext");
    find(queue, "clCreateCommandQueue");
    find(program, "clCreateProgramWithSource");
    find(build, "clBuildProgram");
    find(build_info, "clGetProgramBuildInfo");
    find(kernel, "clCreateKernel");
    find(argument, "clSetKernelArg");
    find(buffer, "clCreateBuffer");
    find(enqueue, "clEnqueueNDRangeKernel");
    find(finish, "clFinish");
    find(release_program, "clReleaseProgram");
    find(release_kernel, "clReleaseKernel");
    find(release_buffer, "clReleaseMemObject");
  }
  DynamicLibrary library;
  std::int32_t (*platforms)(std::uint32_t, Handle*, std::uint32_t*);
  std::int32_t (*platform_info)(Handle, std::uint32_t, std::size_t, void*, std::size_t*);
  std::int32_t (*devices)(Handle, std::uint64_t, std::uint32_t, Handle*, std::uint32_t*);
  Handle (*context)(const std::intptr_t*, std::uint32_t, const Handle*, void*, void*, std::int32_t*);
  Handle (*queue)(Handle, Handle, std::uint64_t, std::int32_t*);
  Handle (*program)(Handle, std::uint32_t, const char**, const std::size_t*, std::int32_t*);
  std::int32_t (*build)(Handle, std::uint32_t, const Handle*, const char*, void*, void*);
  std::int32_t (*build_info)(Handle, Handle, std::uint32_t, std::size_t, void*, std::size_t*);
  Handle (*kernel)(Handle, const char*, std::int32_t*);
  std::int32_t (*argument)(Handle, std::uint32_t, std::size_t, const void*);
  Handle (*buffer)(Handle, std::uint64_t, std::size_t, void*, std::int32_t*);
  std::int32_t (*enqueue)(Handle, Handle, std::uint32_t, const std::size_t*, const std::size_t*, const std::size_t*,
                          std::uint32_t, const Handle*, Handle*);
  std::int32_t (*finish)(Handle);
  std::int32_t (*release_program)(Handle);
  std::int32_t (*release_kernel)(Handle);
  std::int32_t (*release_buffer)(Handle);
};

void check(std::int32_t code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string("PoCL: ") + what + " failed with " + std::to_string(code));
}

/// The device of PoCL on this machine.
struct Pocl {
  Api api;
  Handle device;
  Handle context;
  Handle queue;

  static Pocl open() {
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);  // PoCL counts the machine's processors, not the process's
    setenv("POCL_KERNEL_CACHE", "0", 1);
    const Api api(DynamicLibrary::open({"libOpenCL.so.1"}).value());
    const Handle platform = platform_of(api);
    Handle device = nullptr;
    check(api.devices(platform, kDeviceTypeAll, 1, &device, nullptr), "clGetDeviceIDs");
    std::int32_t code = 0;
    const Handle context = api.context(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    const Handle queue = api.queue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    return {api, device, context, queue};
  }

  static Handle platform_of(const Api& api) {
    std::array<Handle, 8> platforms{};
    std::uint32_t count = 0;
    api.platforms(platforms.size(), platforms.data(), &count);
    for (std::uint32_t i = 0; i < count && i < platforms.size(); ++i) {
      std::array<char, 128> name{};
      api.platform_info(platforms[i], kPlatformName, name.size() - 1, name.data(), nullptr);
      if (std::string(name.data()) == "Portable Computing Language") return platforms[i];
    }
    throw std::runtime_error("OpenCL has no platform of PoCL");
  }
};

// Opened once and never closed: its threads run until the process ends.
const Pocl& pocl() {
  static const Pocl& one = *new Pocl(Pocl::open());
  return one;
}

}  // namespace

std::string missing_pocl() {
  try {
    pocl();
    return "";
  } catch (const std::exception& failure) {
    return std::string("no PoCL (apt-get install pocl-opencl-icd): ") + failure.what();
  }
}

OpenClKernel::OpenClKernel(const Problem& problem, const Memory& memory, const std::string& note) {
  const Api& api = pocl().api;
  const std::string text = kernel_text(problem.kernel + ".cl") + note;
  const char* const source = text.c_str();
  std::int32_t code = 0;
  program_ = api.program(pocl().context, 1, const_cast<const char**>(&source), nullptr, &code);
  check(code, "clCreateProgramWithSource");
  if (api.build(program_, 1, &pocl().device, "", nullptr, nullptr) != 0) {
    std::string log(4096, '\0');
    api.build_info(program_, pocl().device, kProgramBuildLog, log.size(), log.data(), nullptr);
    throw std::runtime_error("PoCL: " + problem.kernel + ".cl: " + log.c_str());
  }
  kernel_ = api.kernel(program_, problem.kernel.c_str(), &code);
  check(code, "clCreateKernel");
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    buffers_.push_back(api.buffer(pocl().context, kReadWriteHostMemory, problem.buffers[i].count * sizeof(float),
                                  memory.addresses()[i], &code));
    check(code, "clCreateBuffer");
    check(api.argument(kernel_, next++, sizeof(Handle), &buffers_.back()), "clSetKernelArg");
  }
  for (const auto& [name, value] : problem.scalars) {
    check(api.argument(kernel_, next++, sizeof value, &value), "clSetKernelArg");
  }
  for (std::size_t i = 0; i < group_.size(); ++i) {
    group_[i] = problem.block[i];
    threads_[i] = static_cast<std::size_t>(problem.grid[i]) * problem.block[i];
  }
}

OpenClKernel::~OpenClKernel() {
  const Api& api = pocl().api;
  for (const Handle buffer : buffers_) api.release_buffer(buffer);
  api.release_kernel(kernel_);
  api.release_program(program_);
}

void OpenClKernel::operator()() const {
  const Api& api = pocl().api;
  check(api.enqueue(pocl().queue, kernel_, 3, nullptr, threads_.data(), group_.data(), 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  check(api.finish(pocl().queue), "clFinish");
}

}  // namespace kmux::bench::spmd
