#include "adapter.h"

#include <algorithm>
#include <utility>

#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"

#include "meta.h"

namespace kmux::opencl {
namespace {

[[gnu::cold, gnu::noinline]] int fail(kmux_sink error, kmux_code code, const std::string& text) {
  error.write(error.self, text.data(), text.size());
  return code;
}

[[gnu::cold, gnu::noinline]] int fail_call(kmux_sink error, const char* call, Code code, const std::string& detail) {
  const Error made = check(call, code, detail).error();
  return fail(error, static_cast<kmux_code>(made.code), made.message);
}

int no_maps(kmux_sink error) {
  return fail(error, KMUX_UNSUPPORTED,
              "tensor maps cannot be encoded (OpenCL has none). Remove them from the variant.");
}

[[gnu::cold, gnu::noinline]] int too_large(kmux_sink error, const LoadedKernel& kernel, const unsigned* block) {
  return fail(error, KMUX_INVALID_ARGUMENT,
              "work-groups of kernel \"" + kernel.name() + "\" would have " + std::to_string(block[0]) + " x " +
                  std::to_string(block[1]) + " x " + std::to_string(block[2]) + " work-items (the driver allows " +
                  std::to_string(kernel.limits().max_group) + "). Use a smaller block.");
}

[[gnu::cold, gnu::noinline]] int too_much_local(kmux_sink error, const LoadedKernel& kernel, std::uint64_t bytes,
                                                std::uint64_t most) {
  return fail(error, KMUX_INVALID_ARGUMENT,
              "work-groups of kernel \"" + kernel.name() + "\" would have " + std::to_string(bytes) +
                  " bytes of local memory and " + std::to_string(kernel.limits().local_bytes) +
                  " that the kernel declares (the device allows " + std::to_string(most) + "). Use smaller tiles.");
}

[[gnu::cold, gnu::noinline]] int not_ours(kmux_sink error, const std::string& what, const OpenDevice& device) {
  return fail(error, KMUX_INVALID_ARGUMENT,
              what + " is not memory that kmux allocated (" + device.with_device("") +
                  "). Copy the tensor to the device first.");
}

// The sub-buffers of one launch, which is all that OpenCL 1.2 has for an address within a buffer.
class SubBuffers {
 public:
  explicit SubBuffers(const Api& api) : api_(api) {}
  SubBuffers(const SubBuffers&) = delete;
  SubBuffers& operator=(const SubBuffers&) = delete;
  ~SubBuffers() {
    while (count_ > 0) api_.clReleaseMemObject(made_[--count_]);
  }
  bool is_full() const { return count_ == made_.size(); }
  Buffer make(const Memory::Place& place, Code& code) {
    const Region region{place.offset, place.rest};
    const Buffer made = api_.clCreateSubBuffer(place.buffer, kReadWrite, kBufferRegion, &region, &code);
    if (code == kSuccess) made_[count_++] = made;
    return made;
  }

 private:
  const Api& api_;
  std::size_t count_ = 0;
  std::array<Buffer, 64> made_;  // only the first count_ are written
};

// Sets the arguments of one launch.
class Binding {
 public:
  Binding(DeviceCode& code, ClKernel kernel, kmux_sink error)
      : device_(*code.device), api_(device_.api()), kernel_(kernel), sub_buffers_(api_), error_(error) {}

  int set(const LaunchForm& form, const kmux_driver_launch& launch) {
    Count index = 0;
    for (const LaunchForm::Argument& argument : form.arguments) {
      const int result = argument.is_address ? set_address(index, *static_cast<void* const*>(launch.args[index]))
                                             : set_value(index, argument.bytes, launch.args[index]);
      if (result != KMUX_OK) [[unlikely]] {
        return result;
      }
      ++index;
    }
    return form.has_local ? set_local(index, std::max<std::size_t>(launch.dynamic_smem_bytes, 1)) : KMUX_OK;
  }

 private:
  // A kernel that takes no __local parameter has no other way to that memory, and so does not use it.
  int set_local(Count index, std::size_t bytes) {
    const int code = api_.clSetKernelArg(kernel_, index, bytes, nullptr);
    return code == kInvalidArgumentIndex ? KMUX_OK : checked("clSetKernelArg", code, index);
  }
  int set_value(Count index, std::size_t bytes, const void* value) {
    return checked("clSetKernelArg", api_.clSetKernelArg(kernel_, index, bytes, value), index);
  }
  int set_address(Count index, const void* address) {
    if (device_.memory().is_shared()) [[likely]] {
      return checked("clSetKernelArgSVMPointer", api_.clSetKernelArgSVMPointer(kernel_, index, address), index);
    }
    return set_buffer(index, address);
  }
  int set_buffer(Count index, const void* address) {
    const Memory::Place place = address == nullptr ? Memory::Place{} : device_.memory().find(address);
    if (address != nullptr && place.rest == 0)
      return not_ours(error_, "argument " + std::to_string(index) + " of a kernel", device_);
    Buffer buffer = place.buffer;
    if (place.offset != 0) {
      const Count step = device_.info().base_alignment_bytes;
      if (place.offset % step != 0 || sub_buffers_.is_full()) return refuse_offset(index, place.offset, step);
      Code code = kSuccess;
      buffer = sub_buffers_.make(place, code);
      if (code != kSuccess) return checked("clCreateSubBuffer", code, index);
    }
    return set_value(index, sizeof(Buffer), buffer == nullptr ? nullptr : static_cast<const void*>(&buffer));
  }
  [[gnu::cold]] int refuse_offset(Count index, std::size_t offset, Count step) {
    return fail(error_, KMUX_UNSUPPORTED,
                "argument " + std::to_string(index) + " of a kernel is " + std::to_string(offset) +
                    " bytes into its buffer (the device has parts of buffers at multiples of " + std::to_string(step) +
                    ", 64 a launch, and no shared virtual memory). Copy the part into a tensor of its own.");
  }
  int checked(const char* call, Code code, Count index) {
    if (code == kSuccess) [[likely]] {
      return KMUX_OK;
    }
    return fail_call(error_, call, code, device_.with_device("argument " + std::to_string(index)));
  }

  OpenDevice& device_;
  const Api& api_;
  ClKernel kernel_;
  SubBuffers sub_buffers_;
  kmux_sink error_;
};

Launcher& launcher_of(const kmux_driver_env* env) { return *static_cast<Launcher*>(env->call); }

}  // namespace

LoadedKernel::LoadedKernel(const Api& api, const BuiltProgram& program, std::string name, KernelLimits limits,
                           ClKernel first)
    : api_(api),
      program_(program),
      name_(std::move(name)),
      limits_(limits),
      lanes_(std::make_unique<std::atomic<ClKernel>[]>(kLanes)) {
  lanes_[0] = first;
}

LoadedKernel::~LoadedKernel() {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (const ClKernel kernel = lanes_[lane]) api_.clReleaseKernel(kernel);
  }
}

// The first launch of a thread; later ones find it.
ClKernel LoadedKernel::make(std::uint32_t lane) {
  if (lane >= kLanes) return nullptr;
  const auto made = program_.make_kernel(name_);
  if (!made) return nullptr;
  lanes_[lane].store(*made, std::memory_order_release);
  return *made;
}

LoadedProgram::LoadedProgram(std::shared_ptr<Machine> machine, std::string code, std::string arch, const Plan& plan)
    : machine_(std::move(machine)),
      code_(std::move(code)),
      arch_(std::move(arch)),
      kernels_(plan.kernels),
      forms_(forms_of(plan)),
      count_(machine_->devices().size()),
      devices_(std::make_unique<std::atomic<DeviceCode*>[]>(count_)),
      mutex_(std::make_unique<std::mutex>()) {}

Result<DeviceCode*> LoadedProgram::prepare(int device) {
  if (DeviceCode* const found = on(device)) return found;
  const std::lock_guard lock(*mutex_);
  if (DeviceCode* const found = on(device)) return found;
  KMUX_ASSIGN(auto made, load(device));
  owned_.push_back(std::move(made));
  devices_[static_cast<std::size_t>(device)].store(owned_.back().get(), std::memory_order_release);
  return owned_.back().get();
}

Result<std::unique_ptr<DeviceCode>> LoadedProgram::load(int device) const {
  KMUX_ASSIGN(OpenDevice* const opened, machine_->device(device));
  if (opened->info().arch != arch_) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the code is for \"" + arch_ + "\" (" + opened->with_device("") +
                          "). Name the device that the target is, too, or leave the target out.");
  }
  KMUX_ASSIGN(BuiltProgram program, BuiltProgram::load(*opened, code_));
  auto code = std::make_unique<DeviceCode>(DeviceCode{opened, std::move(program)});
  for (const std::string& name : kernels_) {
    KMUX_ASSIGN(const ClKernel kernel, code->program.make_kernel(name));
    code->kernels.push_back(
        std::make_unique<LoadedKernel>(opened->api(), code->program, name, limits_of(*opened, kernel), kernel));
  }
  return code;
}

const kmux_driver& Launcher::driver() {
  static constexpr kmux_driver kDriver = {
      [](const kmux_driver_env* env, const kmux_driver_launch* launch, kmux_sink error) {
        Launcher& self = launcher_of(env);
        return self.enqueue(*self.program_.on(env->env.device), env->env, *launch, error);
      },
      [](const kmux_driver_env* env, const kmux_driver_fill* fill, kmux_sink error) {
        Launcher& self = launcher_of(env);
        return self.fill(*self.program_.on(env->env.device), env->env, *fill, error);
      },
      [](const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const unsigned*, kmux_sink error) {
        return no_maps(error);
      },
      [](const kmux_driver_env*, kmux_tensor_map*, const kmux_map_geometry*, const int*, const int*, unsigned, unsigned,
         kmux_sink error) { return no_maps(error); }};
  return kDriver;
}

int Launcher::prepare_first(int device, kmux_sink error, DeviceCode*& code) {
  const auto prepared = program_.prepare(device);
  if (!prepared) return write_error(prepared.error(), error);
  code = *prepared;
  return KMUX_OK;
}

int Launcher::enqueue(DeviceCode& code, const kmux_launch_env& env, const kmux_driver_launch& launch,
                      kmux_sink error) const noexcept {
  LoadedKernel& kernel = *code.kernels[launch.kernel];
  const OpenDevice& device = *code.device;
  // In parts: the product of three extents may not fit.
  const std::uint64_t plane = std::uint64_t{launch.block[0]} * launch.block[1];
  const std::uint64_t most = kernel.limits().max_group;
  if (plane > most || plane * launch.block[2] > most) [[unlikely]] {
    return too_large(error, kernel, launch.block);
  }
  const std::uint64_t local = device.info().local_bytes;
  if (launch.dynamic_smem_bytes > local || kernel.limits().local_bytes > local - launch.dynamic_smem_bytes)
      [[unlikely]] {
    return too_much_local(error, kernel, launch.dynamic_smem_bytes, local);
  }
  const ClKernel object = kernel.of(env.lane);
  if (object == nullptr)
    return fail(error, KMUX_UNAVAILABLE,
                "the driver makes no more objects of kernel \"" + kernel.name() +
                    "\" (out of memory, or too many threads launch). Use fewer threads.");
  Binding binding(code, object, error);
  if (const int result = binding.set(program_.form(launch.step), launch); result != KMUX_OK) return result;
  std::size_t items[3];
  std::size_t group[3];
  for (std::size_t i = 0; i < 3; ++i) {
    group[i] = launch.block[i];
    items[i] = group[i] * launch.grid[i];
  }
  const Code result = device.api().clEnqueueNDRangeKernel(device.queue_of(env.stream), object, 3, nullptr, items, group,
                                                          0, nullptr, nullptr);
  if (result == kSuccess) [[likely]] {
    return KMUX_OK;
  }
  return fail_call(error, "clEnqueueNDRangeKernel", result, device.with_device("kernel \"" + kernel.name() + "\""));
}

int Launcher::fill(DeviceCode& code, const kmux_launch_env& env, const kmux_driver_fill& fill,
                   kmux_sink error) const noexcept {
  if (fill.bytes == 0) return KMUX_OK;
  OpenDevice& device = *code.device;
  if (!device.memory().is_shared() && device.memory().find(fill.target).rest < fill.bytes)
    return not_ours(error, "memory to fill", device);
  const Code result = device.memory().fill(device.queue_of(env.stream), fill.target, fill.value, fill.bytes);
  if (result == kSuccess) return KMUX_OK;
  return fail_call(error, "clEnqueueSVMMemFill", result, device.with_device(std::to_string(fill.bytes) + " bytes"));
}

// A driver may leave commands where they are until they are flushed.
int Launcher::finish(const DeviceCode& code, const kmux_launch_env& env, int result, kmux_sink error) const noexcept {
  if (result != KMUX_OK) return result;
  const Code flushed = code.device->api().clFlush(code.device->queue_of(env.stream));
  if (flushed == kSuccess) [[likely]] {
    return KMUX_OK;
  }
  return fail_call(error, "clFlush", flushed, code.device->with_device(""));
}

Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Machine> machine, int device) {
  KMUX_ASSIGN(const std::string* const code, required_part(artifact, kCodePart, "opencl"));
  KMUX_ASSIGN(const std::string* const plan_text, required_part(artifact, kPlanPart, "opencl"));
  KMUX_ASSIGN(const std::string* const meta_text, required_part(artifact, kMetaPart, "opencl"));
  KMUX_ASSIGN(const Meta meta, parse_meta(*meta_text));
  KMUX_ASSIGN(const Plan plan, read_plan(*plan_text));
  KMUX_ASSIGN(PlanRunner runner, PlanRunner::compile(plan));
  LoadedProgram program(std::move(machine), *code, meta.arch, plan);
  KMUX_TRY(program.prepare(device));
  return std::unique_ptr<Adapter>(std::make_unique<OpenClAdapter>(
      std::move(program), std::move(runner), [](LoadedProgram& loaded) { return Launcher(loaded); }));
}

}  // namespace kmux::opencl
