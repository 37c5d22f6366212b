#include <atomic>
#include <mutex>
#include <utility>

#include "kmux/log.h"
#include "kmux/registry.h"

#include "device_memory.h"
#include "system/fork_guard.h"
#include "thread_stream.h"

namespace kmux {
namespace {

// Blocks whose stream was captured when they were to be freed. Never destroyed: at the end of the process the driver may be
// gone before.
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
  for (const OwnedBlock::Use& use : block.uses) api_of(block).event_destroy(block.device.ordinal(), use.event);
  block.uses.clear();
}

// Where the device cannot be made to wait, the host does: asking for the time between an event and itself waits for it.
void wait_for_uses(OwnedBlock& block) {
  DeviceApi& api = api_of(block);
  const int device = block.device.ordinal();
  for (const OwnedBlock::Use& use : block.uses) {
    const Status waits = api.stream_wait_event(device, block.stream, use.event);
    if (waits.ok()) continue;
    log_failure(waits);
    static_cast<void>(api.event_elapsed(device, use.event, use.event));
  }
}

void free_in_order(OwnedBlock& block) {
  wait_for_uses(block);
  api_of(block).free(block.device.ordinal(), block.stream, block.address);
  destroy_events(block);
}

// False if the block has to wait for the end of a capture.
bool try_release(OwnedBlock& block) {
  const Result<std::uint64_t> now = capture_of(block.device, block.stream);
  if (!now) log_failure(now.error());
  const std::uint64_t capture = now ? *now : 0;
  if (capture == block.capture) return free_in_order(block), true;
  if (block.capture == 0) return false;
  return destroy_events(block), true;  // the graph owns it
}

// Another thread has the stream for which the default streams of all threads are waited for.
void take_over(OwnedBlock& block) {
  if (names_stream_of_another(block.stream, block.thread)) block.stream = nullptr;
}

void defer(OwnedBlock block) {
  const std::lock_guard lock(deferred().mutex);
  deferred().blocks.push_back(std::move(block));
  deferred().any.store(true, std::memory_order_relaxed);
}

}  // namespace

Result<std::uint64_t> capture_of(const Device& device, void* stream) {
  return device.plugin()->backend().devices().stream_capture(device.ordinal(), stream);
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
  std::vector<OwnedBlock> released;  // goes after the lock: the last handle of a plugin may be among them
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
