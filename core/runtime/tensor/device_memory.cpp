#include "device_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "kmux/log.h"
#include "kmux/registry.h"

#include "system/fork_guard.h"
#include "thread_stream.h"

namespace kmux {
namespace {

constexpr std::size_t kAlignment = 256;  // the alignment that every kernel may assume of a tensor

bool is_own_stream(const OwnedBlock& block, void* stream, int device) {
  return stream == block.stream && device == block.device.ordinal() && !names_stream_of_another(stream, block.thread);
}

// Shared mutexes for blocks: most blocks are never used on other streams, and a mutex per block would slow down
// allocations.
std::mutex& mutex_of(const void* block) {
  constexpr std::size_t kMutexes = 16;
  struct Guarded {
    std::mutex mutex;
    ForkGuard guard{mutex};
  };
  static auto& mutexes = *new std::array<Guarded, kMutexes>;
  return mutexes[std::hash<const void*>()(block) / alignof(std::max_align_t) % kMutexes].mutex;
}

// Blocks whose stream was under capture when they were released. Never destroyed: the driver may be gone first at
// process exit.
struct Deferred {
  std::mutex mutex;
  ForkGuard guard{mutex};
  std::vector<OwnedBlock> blocks;
  std::atomic<bool> any{false};
};
Deferred& deferred() {
  static Deferred& one = *new Deferred;
  return one;
}

DeviceApi& api_of(const OwnedBlock& block) { return block.device.plugin()->backend().devices(); }

void log_failure(const Status& status) {
  if (!status.ok()) log(LogLevel::kWarning, "freeing memory of a device: " + status.error().message);
}

void destroy_events(OwnedBlock& block) {
  for (const OwnedBlock::Use& use : block.uses) api_of(block).event_destroy(use.device, use.event);
  block.uses.clear();
}

// Querying the time between an event and itself waits for it.
Status wait_on_host(OwnedBlock& block, const OwnedBlock::Use& use) {
  KMUX_TRY(api_of(block).event_elapsed(use.device, use.event, use.event));
  return Ok{};
}

// Makes the stream wait for all uses; if the device cannot, the host waits.
void wait_for_uses(OwnedBlock& block) {
  for (const OwnedBlock::Use& use : block.uses) {
    const Status waits = api_of(block).stream_wait_event(block.device.ordinal(), block.stream, use.event);
    if (waits.ok()) continue;
    log_failure(waits);
    static_cast<void>(wait_on_host(block, use));  // the wait has completed even if the event is untimed
  }
}

void free_in_order(OwnedBlock& block) {
  wait_for_uses(block);
  api_of(block).free(block.device.ordinal(), block.stream, block.address);
  destroy_events(block);
}

// Returns false if the block must wait for the end of a capture.
bool try_release(OwnedBlock& block) {
  const Result<std::uint64_t> now = capture_of(block.device, block.stream);
  if (!now) log_failure(now.error());
  const std::uint64_t capture = now ? *now : 0;
  if (capture == block.capture) return free_in_order(block), true;
  if (block.capture == 0) return false;
  return destroy_events(block), true;  // the graph owns it
}

// If the stream belongs to another thread, uses the default stream that waits for the default streams of all threads
// instead.
void take_over(OwnedBlock& block) {
  if (names_stream_of_another(block.stream, block.thread)) block.stream = nullptr;
}

// A handle without an owner may mean another stream than before: one created since, or another thread's. So the new
// stream first waits for the recorded event.
Status record_use(OwnedBlock& block, StreamRef stream, int device) {
  DeviceApi& api = api_of(block);
  const std::lock_guard lock(mutex_of(&block));
  const auto known = std::ranges::find_if(
      block.uses, [&](const OwnedBlock::Use& use) { return use.stream == stream.handle && use.device == device; });
  if (known == block.uses.end()) {
    block.uses.reserve(block.uses.size() + 1);  // so that the event has an owner
    KMUX_ASSIGN(void* const event, block.is_pinned ? api.event_create(device) : api.event_create_untimed(device));
    block.uses.push_back({stream.handle, event, stream.owner == nullptr ? nullptr : *stream.owner, device});
    return api.event_record(device, event, stream.handle);
  }
  if (known->owner == nullptr) KMUX_TRY(api.stream_wait_event(device, stream.handle, known->event));
  return api.event_record(device, known->event, stream.handle);
}

Status used_behind(OwnedBlock& block, StreamRef stream, int device) {
  DeviceApi& api = api_of(block);
  KMUX_ASSIGN(const std::uint64_t capture, api.stream_capture(device, stream.handle));
  if (capture != block.capture) return Ok{};
  sole_stream.add(stream.handle);
  Status recorded = record_use(block, stream, device);
  if (recorded.ok()) return recorded;
  static_cast<void>(api.stream_synchronize(device, stream.handle));  // the earlier failure is returned
  return recorded;
}

void defer(OwnedBlock block) {
  const std::lock_guard lock(deferred().mutex);
  deferred().blocks.push_back(std::move(block));
  deferred().any.store(true, std::memory_order_relaxed);
}

/// Returns the object that owns allocated memory. Calls `free` if there is no memory for the object.
template <class Owner, class Free, class... Arguments>
Shared<Owner> make_owner(const Free& free, const Arguments&... arguments) {
  try {
    return Shared<Owner>::make(arguments...);
  } catch (...) {
    free();
    throw;
  }
}

}  // namespace

Result<Shared<DeviceMemory>> DeviceMemory::allocate(const Device& device, std::size_t bytes, StreamRef stream) {
  release_deferred_blocks();
  std::uint64_t capture = 0;
  if (stream.handle != nullptr) {  // the default stream is never captured
    KMUX_ASSIGN(capture, capture_of(device, stream.handle));
  }
  DeviceApi& api = device.plugin()->backend().devices();
  KMUX_ASSIGN(void* const address,
              api.allocate(device.ordinal(), stream.handle, std::max<std::size_t>(bytes, 1), kAlignment));
  sole_stream.add(stream.handle);
  const auto free = [&] { api.free(device.ordinal(), stream.handle, address); };
  return make_owner<DeviceMemory>(free, device, address, bytes, stream, capture);
}

DeviceMemory::DeviceMemory(const Device& device, void* address, std::size_t bytes, StreamRef stream,
                           std::uint64_t capture)
    : block_{device,        address,
             stream.handle, stream.owner == nullptr ? nullptr : *stream.owner,
             capture,       std::this_thread::get_id()},
      bytes_(bytes) {}

DeviceMemory::~DeviceMemory() { release_block(std::move(block_)); }

Status DeviceMemory::used_on(StreamRef stream, int device) {
  if (is_own_stream(block_, stream.handle, device)) return Ok{};
  return used_behind(block_, stream, device);
}

Result<Shared<PinnedMemory>> PinnedMemory::allocate(const Device& device, std::size_t bytes) {
  DeviceApi& api = device.plugin()->backend().devices();
  KMUX_ASSIGN(void* const address, api.host_allocate(device.ordinal(), std::max<std::size_t>(bytes, 1), kAlignment));
  return make_owner<PinnedMemory>([&] { api.host_free(device.ordinal(), address); }, device, address);
}

PinnedMemory::~PinnedMemory() {
  for (const OwnedBlock::Use& use : block_.uses) log_failure(wait_on_host(block_, use));
  destroy_events(block_);
  api_of(block_).host_free(block_.device.ordinal(), block_.address);
}

Status PinnedMemory::used_on(StreamRef stream, int device) { return used_behind(block_, stream, device); }

namespace {

struct Entry {
  DeviceMemory* memory = nullptr;
  std::size_t exports = 0;
};

struct Table {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, Entry> by_address;
  std::atomic<std::size_t> count{0};
};

Table& table() {
  static Table& one = *new Table;  // never destroyed: tensors may be returned during process exit
  return one;
}

std::uintptr_t place_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

void ExportedMemory::add(DeviceMemory& memory) {
  const std::lock_guard lock(table().mutex);
  Entry& entry = table().by_address[place_of(memory.address())];
  entry.memory = &memory;
  ++entry.exports;
  table().count.store(table().by_address.size(), std::memory_order_relaxed);
}

void ExportedMemory::remove(DeviceMemory& memory) noexcept {
  const std::lock_guard lock(table().mutex);
  const auto found = table().by_address.find(place_of(memory.address()));
  if (found == table().by_address.end() || --found->second.exports != 0) return;
  table().by_address.erase(found);
  table().count.store(table().by_address.size(), std::memory_order_relaxed);
}

DeviceMemory* ExportedMemory::find(const void* address) noexcept {
  if (table().count.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::shared_lock lock(table().mutex);
  auto next = table().by_address.upper_bound(place_of(address));
  if (next == table().by_address.begin()) return nullptr;
  const auto& [begin, entry] = *--next;
  return place_of(address) - begin < entry.memory->bytes() ? entry.memory : nullptr;
}

Result<std::uint64_t> capture_of(const Device& device, void* stream) {
  return device.plugin()->backend().devices().stream_capture(device.ordinal(), stream);
}

// A graph would run the work later, when its memory has been freed.
Status check_not_captured(const Device& device, StreamRef stream) {
  KMUX_ASSIGN(const std::uint64_t capture, capture_of(device, stream.handle));
  if (capture == 0) return Ok{};
  if (capture == DeviceApi::kInTheWay) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the default stream of " + device.to_string() +
                          " cannot be used now (another stream that waits for it is captured, and the capture would be "
                          "spoiled). Pass a stream of its own, or wait for the end of the capture.");
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "a tensor cannot be copied or set on a stream that is captured (the copy has to be done before it "
                    "returns). Copy before the capture begins, or on another stream.");
}

void release_block(OwnedBlock block) noexcept {
  release_deferred_blocks();
  take_over(block);
  if (!try_release(block)) defer(std::move(block));
}

void release_deferred_blocks() noexcept {
  if (!deferred().any.load(std::memory_order_relaxed)) [[likely]] {
    return;
  }
  std::vector<OwnedBlock> released;  // destroyed after the lock: it may hold the last handle of a plugin
  const std::lock_guard lock(deferred().mutex);
  auto& blocks = deferred().blocks;
  std::erase_if(blocks, [&](OwnedBlock& block) {
    take_over(block);
    if (!try_release(block)) return false;
    released.push_back(std::move(block));
    return true;
  });
  deferred().any.store(!blocks.empty(), std::memory_order_relaxed);
}

}  // namespace kmux
