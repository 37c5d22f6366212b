#include "memory.h"

#include <algorithm>
#include <bit>
#include <sys/mman.h>

namespace kmux::opencl {
namespace {

constexpr std::size_t kPage = std::size_t{1} << 16;   // of the table of buffers
constexpr std::size_t kReserved = std::size_t{1} << 40;
constexpr std::size_t kTableBytes = kReserved / kPage * sizeof(void*);

void* map(std::size_t bytes, int protection) {
  void* const range = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

// Four sizes from one power of two to the next: at most a quarter is more than was asked for.
std::size_t size_class(std::size_t bytes) {
  const std::size_t step = std::max(std::bit_floor(bytes) / 4, Memory::kAlignment);
  return (bytes + step - 1) / step * step;
}

std::size_t pages_of(std::size_t bytes) { return (bytes + kPage - 1) / kPage; }

bool is_aligned(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % Memory::kAlignment == 0; }

}  // namespace

Result<std::unique_ptr<Memory>> Memory::create(const Api& api, Context context, MemoryKind kind) {
  std::unique_ptr<Memory> memory(new Memory(api, context, kind));
  if (memory->is_shared() || memory->reserve()) return memory;
  return make_error(ErrorCode::kUnavailable,
                    "cannot reserve addresses for buffers (" + std::to_string(kReserved >> 30) +
                        " GiB of them, out of memory). Raise the limit of the process (ulimit -v).");
}

bool Memory::reserve() {
  base_ = static_cast<char*>(map(kReserved, PROT_NONE));
  table_ = static_cast<std::atomic<Block*>*>(map(kTableBytes, PROT_READ | PROT_WRITE));  // of null pointers
  return base_ != nullptr && table_ != nullptr;
}

Memory::~Memory() {
  for (const auto& [address, block] : blocks_) release(*block);
  if (base_ != nullptr) munmap(base_, kReserved);
  if (table_ != nullptr) munmap(static_cast<void*>(table_), kTableBytes);
}

Memory::Place Memory::find(const void* address) const noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
  if (base_ == nullptr || offset >= kReserved) return {};
  const Block* const block = table_[offset / kPage].load(std::memory_order_acquire);
  if (block == nullptr) return {};
  const auto within = static_cast<std::size_t>(static_cast<const char*>(address) - block->start);
  return {block->buffer, within, block->bytes > within ? block->bytes - within : 0};
}

Result<void*> Memory::allocate(Queue queue, std::size_t bytes) {
  const std::size_t wanted = bytes < kReserved ? size_class(std::max<std::size_t>(bytes, 1)) : bytes;
  const std::lock_guard lock(mutex_);
  Block* block = reuse(queue, wanted);
  if (block == nullptr && bytes < kReserved) block = add(wanted);
  if (block != nullptr) return static_cast<void*>(block->start);
  return make_error(ErrorCode::kUnavailable, "out of memory on the device (" + std::to_string(bytes) +
                                                 " bytes were asked for). Use smaller tensors or free some.");
}

Memory::Block* Memory::reuse(Queue queue, std::size_t bytes) {
  const auto freed = freed_.find(bytes);
  if (freed == freed_.end()) return nullptr;
  const auto fits = [&](const Block* block) { return block->is_settled || block->queue == queue; };
  const auto found = std::ranges::find_if(freed->second, fits);
  if (found == freed->second.end()) return nullptr;
  Block* const block = *found;
  freed->second.erase(found);
  return block;
}

Memory::Block* Memory::add(std::size_t bytes) {
  auto block = std::make_unique<Block>();
  block->bytes = bytes;
  if (!make(*block)) {
    trim();
    if (!make(*block)) return nullptr;
  }
  used_bytes_ += bytes;
  return blocks_.emplace(block->start, std::move(block)).first->second.get();
}

// A driver need not align to more than the largest type of OpenCL C, 128 bytes.
bool Memory::make(Block& block) {
  if (!is_shared()) return make_buffer(block);
  block.allocation = api_.clSVMAlloc(context_, kReadWrite, block.bytes, 0);
  if (block.allocation != nullptr && !is_aligned(block.allocation)) {
    api_.clSVMFree(context_, block.allocation);
    block.allocation = api_.clSVMAlloc(context_, kReadWrite, block.bytes + kAlignment, 0);
  }
  auto* const start = static_cast<char*>(block.allocation);
  block.start = start + (kAlignment - reinterpret_cast<std::uintptr_t>(start) % kAlignment) % kAlignment;
  return start != nullptr;
}

bool Memory::make_buffer(Block& block) {
  const std::size_t pages = pages_of(block.bytes);
  std::vector<char*>& known = addresses_[pages];
  if (known.empty() && pages > kReserved / kPage - used_pages_) return false;
  Code code = kSuccess;
  block.buffer = api_.clCreateBuffer(context_, kReadWrite, block.bytes, nullptr, &code);
  if (block.buffer == nullptr || code != kSuccess) return false;
  if (known.empty()) {
    block.start = base_ + used_pages_ * kPage;
    used_pages_ += pages;
  } else {
    block.start = known.back();
    known.pop_back();
  }
  const auto first = static_cast<std::size_t>(block.start - base_) / kPage;
  for (std::size_t page = first; page < first + pages; ++page) table_[page].store(&block, std::memory_order_release);
  return true;
}

void Memory::release(Block& block) {
  if (block.allocation != nullptr) api_.clSVMFree(context_, block.allocation);
  if (block.buffer == nullptr) return;
  api_.clReleaseMemObject(block.buffer);
  const std::size_t pages = pages_of(block.bytes);
  const auto first = static_cast<std::size_t>(block.start - base_) / kPage;
  for (std::size_t page = first; page < first + pages; ++page) table_[page].store(nullptr, std::memory_order_release);
  addresses_[pages].push_back(block.start);
}

// Gives back everything that is freed, once it is done with.
void Memory::trim() {
  for (auto& [bytes, freed] : freed_) {
    for (Block* const block : freed) {
      if (!block->is_settled) api_.clFinish(block->queue);
      used_bytes_ -= bytes;
      release(*block);
      blocks_.erase(block->start);
    }
  }
  freed_.clear();
}

void Memory::free(Queue queue, void* address) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  Block& block = *found->second;
  block.queue = queue;
  block.freed_at = ++time_;
  block.is_settled = false;
  freed_[block.bytes].push_back(&block);
}

std::uint64_t Memory::now() noexcept {
  const std::lock_guard lock(mutex_);
  return time_;
}

void Memory::settle(Queue queue, std::uint64_t time) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [bytes, freed] : freed_) {
    for (Block* const block : freed) {
      if (block->queue == queue && block->freed_at <= time) block->is_settled = true;
    }
  }
}

std::uint64_t Memory::used_bytes() noexcept {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

Code Memory::copy(Queue queue, bool blocks, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) const {
  const Count wait = blocks ? 1 : 0;
  if (is_shared()) return api_.clEnqueueSVMMemcpy(queue, wait, to, from, bytes, 0, nullptr, nullptr);
  const Place target = find(to);
  const Place source = find(from);
  if (kind == KMUX_COPY_HOST_TO_DEVICE)
    return api_.clEnqueueWriteBuffer(queue, target.buffer, wait, target.offset, bytes, from, 0, nullptr, nullptr);
  if (kind == KMUX_COPY_DEVICE_TO_HOST)
    return api_.clEnqueueReadBuffer(queue, source.buffer, wait, source.offset, bytes, to, 0, nullptr, nullptr);
  return api_.clEnqueueCopyBuffer(queue, source.buffer, target.buffer, source.offset, target.offset, bytes, 0, nullptr,
                                  nullptr);
}

Code Memory::fill(Queue queue, void* address, std::uint8_t value, std::size_t bytes) const {
  if (is_shared()) return api_.clEnqueueSVMMemFill(queue, address, &value, 1, bytes, 0, nullptr, nullptr);
  const Place place = find(address);
  return api_.clEnqueueFillBuffer(queue, place.buffer, &value, 1, place.offset, bytes, 0, nullptr, nullptr);
}

}  // namespace kmux::opencl
