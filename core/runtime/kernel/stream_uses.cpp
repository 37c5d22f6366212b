#include <algorithm>

#include "kmux/log.h"
#include "kmux/registry.h"

#include "kernel_impl.h"
#include "tensor/device_memory.h"

namespace kmux {
namespace {

DeviceMemory* memory_of(const Arg& arg) {
  if (arg.kind() != Arg::Kind::kTensor || arg.tensor() == nullptr) return nullptr;
  if (arg.is_ours()) return arg.memory();
  return arg.tensor()->device.device_type == kDLCPU ? nullptr : ExportedMemory::find(arg.tensor()->data);
}

}  // namespace

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

// A single device has no siblings to ask about.
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

}  // namespace kmux
