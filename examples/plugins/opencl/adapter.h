#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kmux/plugin/plan_adapter.h"

#include "compiler.h"
#include "machine.h"
#include "wrapper.h"

namespace kmux::opencl {

/// A kernel of a loaded program on one device. clSetKernelArg is for one thread at a time, so each lane has an object of its own.
///
/// Threads: any.   Lifetime: borrows the program.
class LoadedKernel {
 public:
  LoadedKernel(const Api& api, const BuiltProgram& program, std::string name, KernelLimits limits, ClKernel first);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  const std::string& name() const { return name_; }
  const KernelLimits& limits() const { return limits_; }
  /// The object of a lane below kLanes; null if the driver makes none.
  ClKernel of(std::uint32_t lane) {
    const ClKernel found = lane < kLanes ? lanes_[lane].load(std::memory_order_acquire) : nullptr;
    return found != nullptr ? found : make(lane);
  }
  static constexpr std::uint32_t kLanes = 4096;  // the threads that the runtime counts

 private:
  ClKernel make(std::uint32_t lane);
  const Api& api_;
  const BuiltProgram& program_;
  std::string name_;
  KernelLimits limits_;
  std::unique_ptr<std::atomic<ClKernel>[]> lanes_;
};

/// A program on one device.
struct DeviceCode {
  OpenDevice* device = nullptr;
  BuiltProgram program;
  std::vector<std::unique_ptr<LoadedKernel>> kernels = {};
};

/// A program, and on which devices it is.
///
/// Threads: any.
class LoadedProgram {
 public:
  LoadedProgram(std::shared_ptr<Machine> machine, std::string code, std::string arch, const Plan& plan);
  LoadedProgram(LoadedProgram&& other) noexcept = default;

  /// Null until `prepare`.
  DeviceCode* on(int device) const {
    const auto index = static_cast<std::size_t>(device);
    return index < count_ ? devices_[index].load(std::memory_order_acquire) : nullptr;
  }
  /// Errors: invalid_argument for a device that the code is not for, or that is not there; as `BuiltProgram::load`.
  Result<DeviceCode*> prepare(int device);
  const LaunchForm& form(unsigned step) const { return forms_[step]; }

 private:
  Result<std::unique_ptr<DeviceCode>> load(int device) const;
  std::shared_ptr<Machine> machine_;
  std::string code_;
  std::string arch_;
  std::vector<std::string> kernels_;
  std::vector<LaunchForm> forms_;
  std::size_t count_ = 0;
  std::unique_ptr<std::atomic<DeviceCode*>[]> devices_;
  std::unique_ptr<std::mutex> mutex_;  // of what follows
  std::vector<std::unique_ptr<DeviceCode>> owned_;
};

// [launcher.begin]
/// Puts launches and fills into the queue that a call names.
///
/// Threads: any, concurrently.   Lifetime: borrows the program.
class Launcher {
 public:
  explicit Launcher(LoadedProgram& program) : program_(program) {}

  int prepare(int device, kmux_sink error) {
    DeviceCode* code = nullptr;
    return find(device, error, code);
  }
  template <class Body>
  int call(const kmux_launch_env& env, kmux_sink error, Body&& body) {
    DeviceCode* code = nullptr;
    if (const int found = find(env.device, error, code); found != KMUX_OK) return found;
    return finish(*code, env, body(kmux_driver_env{env, &driver(), this}, error), error);
  }
  int launch(const kmux_launch_env& env, const kmux_driver_launch& launch, kmux_sink error) {
    DeviceCode* code = nullptr;
    if (const int found = find(env.device, error, code); found != KMUX_OK) return found;
    return finish(*code, env, enqueue(*code, env, launch, error), error);
  }

  int enqueue(DeviceCode& code, const kmux_launch_env& env, const kmux_driver_launch& launch,
              kmux_sink error) const noexcept;
  int fill(DeviceCode& code, const kmux_launch_env& env, const kmux_driver_fill& fill, kmux_sink error) const noexcept;

 private:
  static const kmux_driver& driver();
  int find(int device, kmux_sink error, DeviceCode*& code) {
    code = program_.on(device);
    return code != nullptr ? KMUX_OK : prepare_first(device, error, code);
  }
  int prepare_first(int device, kmux_sink error, DeviceCode*& code);
  int finish(const DeviceCode& code, const kmux_launch_env& env, int result, kmux_sink error) const noexcept;

  LoadedProgram& program_;
};

using OpenClAdapter = PlanAdapter<LoadedProgram, Launcher>;
// [launcher.end]

/// Makes an adapter of what the builder made.
///
/// Errors: invalid_argument if the artifact is of another backend, incomplete or for another device.
Result<std::unique_ptr<Adapter>> load_artifact(const Artifact& artifact, std::shared_ptr<Machine> machine, int device);

}  // namespace kmux::opencl
