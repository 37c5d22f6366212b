#include "code_trial.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "kmux/plugin/plugin.hpp"
#include "kmux/plugin/sink.h"
#include "kmux/registry.h"

#include "plugins/plugin_backend.h"
#include "plugins/plugin_search.h"

namespace kmux {
namespace {

constexpr std::size_t kAlignment = 256;  // that of device memory
// Parts of a frame, after the folder.
constexpr std::size_t kArtifact = 1;
constexpr std::size_t kDevice = 2;
constexpr std::size_t kCount = 3;  // of slots
constexpr std::size_t kSlots = 4;
// First characters of a slot's part.
constexpr char kBits = 'b';
constexpr char kMemory = 'm';

Error damaged() { return make_error(ErrorCode::kInternal, "a frame is damaged (code to try)."); }

Frame code_frame(FrameKind kind, const Artifact& artifact, int device) {
  return call_frame(kind, {serialize(artifact), std::to_string(device)});
}

std::string part_of(const LaunchCopy::Slot& slot) {
  if (slot.memory) return kMemory + *slot.memory;
  std::string part(1 + sizeof slot.bits, kBits);
  std::memcpy(part.data() + 1, &slot.bits, sizeof slot.bits);
  return part;
}

/// The memory of a trial launch. Lifetime: owns its blocks.
class TrialMemory {
 public:
  TrialMemory(DeviceApi& devices, int device) : devices_(devices), device_(device) {}
  ~TrialMemory() {
    for (void* block : blocks_) devices_.free(device_, nullptr, block);
  }
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;

  /// Returns the slot that `part` describes.
  Result<kmux_slot> slot(std::string_view part) {
    kmux_slot slot{};
    if (part.starts_with(kMemory)) {
      KMUX_ASSIGN(slot.ptr, copy_of(part.substr(1)));
      return slot;
    }
    if (!part.starts_with(kBits) || part.size() != 1 + sizeof slot.bits) return damaged();
    std::memcpy(&slot.bits, part.data() + 1, sizeof slot.bits);
    return slot;
  }
  Status fill(void* address, std::string_view bytes) {
    return devices_.copy(device_, nullptr, address, bytes.data(), bytes.size(), KMUX_COPY_HOST_TO_DEVICE);
  }

 private:
  Result<void*> copy_of(std::string_view bytes) {
    KMUX_ASSIGN(void* const block,
                devices_.allocate(device_, nullptr, std::max<std::size_t>(bytes.size(), 1), kAlignment));
    blocks_.push_back(block);
    KMUX_TRY(fill(block, bytes));
    return block;
  }

  DeviceApi& devices_;
  int device_;
  std::vector<void*> blocks_;
};

/// Sets the constants of a launch; `parts` alternates names and bytes.
Status set_constants(Adapter& adapter, int device, TrialMemory& memory, std::span<const std::string> parts) {
  if (parts.size() % 2 != 0) return damaged();
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    KMUX_ASSIGN(const ConstantPlace place, adapter.constant(device, parts[i]));
    if (place.bytes != parts[i + 1].size()) return damaged();
    KMUX_TRY(memory.fill(place.address, parts[i + 1]));
  }
  return Ok{};
}

Status try_launch(Backend& backend, Adapter& adapter, int device, std::span<const std::string> parts) {
  if (parts.size() < kSlots) return damaged();
  KMUX_ASSIGN(const std::int64_t count, read_number(parts[kCount]));
  if (count < 0 || static_cast<std::size_t>(count) > parts.size() - kSlots) return damaged();
  DeviceApi& devices = backend.devices();
  TrialMemory memory(devices, device);
  std::vector<kmux_slot> slots;
  for (const std::string& part : parts.subspan(kSlots, static_cast<std::size_t>(count))) {
    KMUX_ASSIGN(slots.emplace_back(), memory.slot(part));
  }
  KMUX_TRY(set_constants(adapter, device, memory, parts.subspan(kSlots + static_cast<std::size_t>(count))));
  const kmux_allocator workspaces = workspaces_of(devices);
  const kmux_launch_env env{sizeof env, device, nullptr, &workspaces, 0, 0};
  std::string text;
  const kmux_code code = adapter.launch(slots.data(), env, append_to(text));
  if (code != KMUX_OK) return read_error(code, text);
  return devices.stream_synchronize(device, nullptr);
}

}  // namespace

Status CodeTrial::ask(const Frame& frame) const {
  const Result<WorkerReply> reply = pool_->call(frame, limit_);
  return reply ? Status(Ok{}) : reply.error();
}

Status CodeTrial::load(const Artifact& artifact, int device) const {
  return ask(code_frame(FrameKind::kLoad, artifact, device));
}

Status CodeTrial::launch(const Artifact& artifact, int device, LaunchCopy copy) const {
  Frame frame = code_frame(FrameKind::kLaunch, artifact, device);
  frame.parts.push_back(std::to_string(copy.slots.size()));
  for (const LaunchCopy::Slot& slot : copy.slots) frame.parts.push_back(part_of(slot));
  for (auto& [name, bytes] : copy.constants) frame.parts.insert(frame.parts.end(), {std::move(name), std::move(bytes)});
  return ask(frame);
}

Result<std::shared_ptr<const CodeTrial>> code_trial(IsolatedPlugins& plugins, const std::string& name,
                                                    const IsolationSettings& isolation) {
  const bool is_wanted = isolation.in_process_of_its_own && isolation.trial;
  const PluginEntry* const entry = is_wanted ? plugins.entry_of(name) : nullptr;
  if (entry == nullptr || is_own(*entry)) return {nullptr};
  KMUX_ASSIGN(std::shared_ptr<WorkerPool> pool, plugins.pool_of(*entry));
  return std::make_shared<const CodeTrial>(std::move(pool), isolation.limit);
}

Status try_code(Backend& backend, const Frame& frame) {
  if (frame.parts.size() <= kDevice) return damaged();
  KMUX_ASSIGN(const Artifact artifact, deserialize(frame.parts[kArtifact]));
  KMUX_ASSIGN(const std::int64_t device, read_number(frame.parts[kDevice]));
  KMUX_ASSIGN(const std::unique_ptr<Adapter> adapter, backend.load(artifact, static_cast<int>(device)));
  KMUX_TRY(adapter->prepare(static_cast<int>(device)));
  if (frame.kind == FrameKind::kLoad) return Ok{};
  return try_launch(backend, *adapter, static_cast<int>(device), frame.parts);
}

}  // namespace kmux
