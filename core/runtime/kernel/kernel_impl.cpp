#include "kernel_impl.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <pthread.h>

#include "kmux/log.h"
#include "kmux/plugin/code_state.h"
#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/quoting.h"
#include "kmux/plugin/suggestion.h"
#include "kmux/plugin/word_list.h"
#include "kmux/registry.h"

#include "plugins/launch_trail.h"
#include "plugins/plugin_backend.h"
#include "tensor/device_memory.h"

namespace kmux {

bool keeps_values(const Artifact& artifact) { return artifact.find(kStatePart) != nullptr; }
namespace {

// The lanes in use, one bit each. Threads beyond the number of bits get higher numbers, which are never reused.
class LaneSet {
 public:
  std::uint32_t claim() noexcept {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      std::uint64_t used = words_[word].load(std::memory_order_relaxed);
      while (used != ~std::uint64_t{0}) {
        const int bit = std::countr_one(used);
        if (words_[word].compare_exchange_weak(used, used | (std::uint64_t{1} << bit), std::memory_order_acquire)) {
          return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(bit);
        }
      }
    }
    return overflow_.fetch_add(1, std::memory_order_relaxed);
  }

  void release(std::uint32_t lane) noexcept {
    if (lane >= words_.size() * 64) return;
    words_[lane / 64].fetch_and(~(std::uint64_t{1} << (lane % 64)), std::memory_order_release);
  }

 private:
  static constexpr std::size_t kWords = 64;
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
  std::atomic<std::uint32_t> overflow_{kWords * 64};
};

constinit LaneSet lanes;

void release_claimed(void*) noexcept {
  lanes.release(thread_calls.lane - 1);
  thread_calls.lane = 0;
}

// A key, unlike a thread_local with a destructor, needs no memory for a thread that uses it.
pthread_key_t thread_end_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, release_claimed);
    return made;
  }();
  return key;
}

[[gnu::cold, gnu::noinline]] std::uint32_t claim_lane() noexcept {
  const std::uint32_t lane = lanes.claim();
  thread_calls.lane = lane + 1;
  std::uint32_t seen = lanes_used.load(std::memory_order_relaxed);
  while (seen <= lane && !lanes_used.compare_exchange_weak(seen, lane + 1, std::memory_order_relaxed)) {
  }
  pthread_setspecific(thread_end_key(), &thread_calls);
  return lane;
}

DeviceMemory* memory_of(const Arg& arg) {
  if (arg.kind() != Arg::Kind::kTensor || arg.tensor() == nullptr) return nullptr;
  if (arg.is_ours()) return arg.memory();
  return arg.tensor()->device.device_type == kDLCPU ? nullptr : ExportedMemory::find(arg.tensor()->data);
}

kmux_code allocate_host(void*, int32_t, void*, size_t bytes, size_t alignment, void** address) {
  const std::size_t aligned = std::max(alignment, alignof(std::max_align_t));
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + aligned - 1) / aligned * aligned;
  *address = rounded < bytes ? nullptr : std::aligned_alloc(aligned, rounded);
  return *address != nullptr ? KMUX_OK : KMUX_UNAVAILABLE;
}

void free_host(void*, int32_t, void*, void* address) { std::free(address); }

}  // namespace

[[gnu::hot]] std::uint32_t current_lane() noexcept {
  const std::uint32_t lane = thread_calls.lane;
  return lane != 0 ? lane - 1 : claim_lane();
}

void record_uses(std::span<const Arg> args, StreamRef stream) noexcept {
  for (const Arg& arg : args) {
    DeviceMemory* const memory = memory_of(arg);
    if (memory == nullptr) continue;
    const Status recorded = memory->used_on(stream);
    if (!recorded.ok()) log(LogLevel::kWarning, "recording what a launch uses: " + recorded.error().message);
  }
}

namespace {

constexpr int kBits = 64;

Result<Json> architecture(DeviceApi& devices, int ordinal) {
  KMUX_ASSIGN(const Json properties, devices.properties(ordinal));
  const Json* arch = properties.find("arch");
  return arch == nullptr ? Json() : *arch;
}

// A single device has no siblings to query.
Result<std::uint64_t> devices_alike(const Device& device) {
  DeviceApi& devices = device.plugin()->backend().devices();
  KMUX_ASSIGN(const int count, devices.count());
  if (count < 2) return std::uint64_t{0};
  KMUX_ASSIGN(const Json own, architecture(devices, device.ordinal()));
  std::uint64_t alike = 0;
  for (int ordinal = 0; ordinal < std::min(count, kBits); ++ordinal) {
    KMUX_ASSIGN(const Json other, architecture(devices, ordinal));
    if (other == own) alike |= std::uint64_t{1} << ordinal;
  }
  return alike;
}

}  // namespace

Result<AcceptedMemory> accepted_memory(const Device& device) {
  AcceptedMemory memory{device.dl()};
  for (const std::int32_t type : device.plugin()->manifest().device_types) {
    if (type >= 0 && type < kBits) memory.other_types |= std::uint64_t{1} << type;
  }
  KMUX_ASSIGN(memory.alike, devices_alike(device));
  return memory;
}

KernelConstants::KernelConstants(std::string kernel, std::vector<Constant> constants, AdapterSlot& slot)
    : kernel_(std::move(kernel)), constants_(std::move(constants)), slot_(slot), set_(constants_.size()) {
  if (std::ranges::all_of(constants_, &Constant::initialised)) return;
  slot_.intercept(std::shared_ptr<Interceptor>(std::shared_ptr<void>(), this));
}

KernelConstants::~KernelConstants() { slot_.leave(*this); }

kmux_code KernelConstants::launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept {
  if (!is_ready(env.device)) [[unlikely]] {
    return write_error(not_set(env.device), error);
  }
  return next()(slots, env, error);
}

bool KernelConstants::is_ready(int device) const noexcept {
  return device >= 0 && device < kDevices && ((ready_.load(std::memory_order_acquire) >> device) & 1) != 0;
}

void KernelConstants::note_set(std::size_t index, int device) {
  const std::lock_guard lock(mutex_);
  set_[index] |= std::uint64_t{1} << device;
  std::uint64_t ready = ~std::uint64_t{0};
  for (std::size_t i = 0; i < set_.size(); ++i) ready &= constants_[i].initialised ? ready : set_[i];
  ready_.store(ready, std::memory_order_release);
}

Error KernelConstants::not_set(int device) const {
  const std::lock_guard lock(mutex_);
  std::string names;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    if (constants_[i].initialised || (device < kDevices && ((set_[i] >> device) & 1) != 0)) continue;
    names += (names.empty() ? "" : ", ") + in_double_quotes(constants_[i].name);
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "constants have no value on device " + std::to_string(device) + " (" + names +
                        "). Call set_constant for each before the first launch; one that its source initialises is "
                        "declared \"initialised\".");
}

Result<std::size_t> KernelConstants::index_of(std::string_view name) const {
  const auto found = std::ranges::find(constants_, name, &Constant::name);
  if (found != constants_.end()) return static_cast<std::size_t>(found - constants_.begin());
  std::vector<std::string> names;
  names.reserve(constants_.size());
  for (const Constant& constant : constants_) names.push_back(constant.name);
  return make_error(ErrorCode::kInvalidArgument, "no constant " + in_double_quotes(name) + "." +
                                                     did_you_mean(name, names) + " The program has " +
                                                     join(names, "none") + ".");
}

Status KernelConstants::check_value(const Constant& constant, const Tensor& value) const {
  const auto refuse = [&](const std::string& found, const char* advice) {
    return make_error(ErrorCode::kInvalidArgument, "constant " + in_double_quotes(constant.name) + " is " +
                                                       describe(constant) + " (found " + found + "). " + advice);
  };
  if (!value) return refuse("a null tensor", "Pass a tensor.");
  if (!is_compatible(constant.dtype, value.dtype()) || !std::ranges::equal(constant.shape, value.shape())) {
    return refuse(describe(*value.dl()), "Pass a tensor of that type and shape.");
  }
  if (!value.is_contiguous()) return refuse("a strided tensor", "Make it contiguous.");
  return Ok{};
}

namespace {

/// Returns the device on which a kernel for `device` sets `value`: the value's device, or `device` for a host value.
Result<Device> device_for(const Tensor& value, const Device& device) {
  if (value.device().is_host()) return device;
  const DLDevice there = value.dl()->device;
  if (there.device_type == device.dl().device_type) return Device(device.plugin(), there.device_id);
  return make_error(ErrorCode::kInvalidArgument, "the value of a constant is on " + value.device().to_string() +
                                                     " (the kernel is for " + device.to_string() +
                                                     "). Move it there, or to the host.");
}

}  // namespace

Status KernelConstants::copy(const Constant& constant, const Tensor& value, StreamRef stream, const Device& device) {
  KMUX_TRY(check_not_captured(device, stream));
  KMUX_ASSIGN(const ConstantPlace place, slot_.loaded().adapter->constant(device.ordinal(), constant.name));
  const auto bytes = static_cast<std::uint64_t>(value.byte_count());
  if (place.bytes != bytes) {
    return make_error(ErrorCode::kInvalidArgument, "constant " + in_double_quotes(constant.name) + " has " +
                                                       std::to_string(place.bytes) + " bytes in the code (" +
                                                       describe(constant) + " has " + std::to_string(bytes) +
                                                       "). Declare it as the source does.");
  }
  DeviceApi& devices = device.plugin()->backend().devices();
  const bool from_host = value.device().is_host();
  KMUX_TRY(devices.copy(device.ordinal(), stream.handle, place.address, value.data(), bytes,
                        from_host ? KMUX_COPY_HOST_TO_DEVICE : KMUX_COPY_DEVICE_TO_DEVICE));
  if (from_host)
    return devices.stream_synchronize(device.ordinal(), stream.handle);  // afterwards the caller may reuse its memory
  const Arg used(value);
  record_uses({&used, 1}, stream);
  return Ok{};
}

Status KernelConstants::set(std::string_view name, const Tensor& value, StreamRef stream, const Device& device) {
  const auto attempt = [&]() -> Status {
    KMUX_ASSIGN(const std::size_t index, index_of(name));
    KMUX_TRY(check_value(constants_[index], value));
    KMUX_ASSIGN(const Device on, device_for(value, device));
    KMUX_TRY(copy(constants_[index], value, stream, on));
    if (on.ordinal() < kDevices) note_set(index, on.ordinal());
    return Ok{};
  };
  Status status = attempt();
  if (!status) status.error().message = "kernel \"" + kernel_ + "\": " + status.error().message;
  return status;
}

WorkspaceAllocator::WorkspaceAllocator(Device device)
    : device_(std::move(device)), table_{sizeof(kmux_allocator), nullptr, allocate_host, free_host} {
  if (!device_.is_host()) table_ = workspaces_of(device_.plugin()->backend().devices());
}

}  // namespace kmux
