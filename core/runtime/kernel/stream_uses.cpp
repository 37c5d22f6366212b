#include "stream_uses.h"

#include "kmux/log.h"

#include "tensor/device_memory.h"
#include "tensor/exported_memory.h"

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

}  // namespace kmux
