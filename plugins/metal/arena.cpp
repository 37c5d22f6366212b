#include "arena.h"

#include <algorithm>
#include <bit>
#include <sys/mman.h>
#include <utility>

namespace kmux::metal {
namespace {

constexpr Count kStorageShared = 0;  // MTLResourceStorageModeShared, hazards tracked

char* reserve(std::size_t bytes) {
  void* const range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : static_cast<char*>(range);
}

// Rounds up to one of four sizes per power of two: at most a quarter more than requested.
std::size_t size_class(std::size_t pages) {
  const std::size_t step = std::bit_floor(pages) / 4;
  return step <= 1 ? pages : (pages + step - 1) / step * step;
}

// Returns the pages of unused memory to the system. On Darwin, MADV_DONTNEED frees nothing, so the pages are marked
// reusable, and `take_pages` marks them used. Source: Darwin's madvise and its MADV_FREE_REUSABLE.
void give_back_pages(char* start, std::size_t bytes) {
#ifdef __APPLE__
  madvise(start, bytes, MADV_FREE_REUSABLE);
#else
  madvise(start, bytes, MADV_DONTNEED);
#endif
}

void take_pages([[maybe_unused]] char* start, [[maybe_unused]] std::size_t bytes) {
#ifdef __APPLE__
  madvise(start, bytes, MADV_FREE_REUSE);
#endif
}

Error no_memory(std::size_t bytes) {
  return make_error(ErrorCode::kUnavailable, "the device has no " + std::to_string(bytes) +
                                                 " bytes of memory left (backend metal). Use smaller tensors or free "
                                                 "some.");
}

}  // namespace

Result<std::unique_ptr<Arena>> Arena::create(const ObjectiveC& objc, Id device) {
  constexpr std::size_t kTableBytes = kBytes / kPage * sizeof(std::atomic<Block*>);
  char* const range = reserve(kBytes + kPage);
  char* const table = range == nullptr ? nullptr : reserve(kTableBytes);
  if (table == nullptr) {
    if (range != nullptr) munmap(range, kBytes + kPage);
    return make_error(ErrorCode::kUnavailable,
                      "cannot reserve addresses for the device's memory (" + std::to_string(kBytes >> 30) +
                          " GiB of them, out of memory). Raise the limit of the process with ulimit -v.");
  }
  // mmap returns zeroed memory, so all pointers of the table are null.
  return std::unique_ptr<Arena>(new Arena(objc, device, range, reinterpret_cast<std::atomic<Block*>*>(table)));
}

Arena::Arena(const ObjectiveC& objc, Id device, char* mapping, std::atomic<Block*>* table)
    : objc_(objc),
      device_(device),
      mapping_(mapping),
      base_(mapping + (kPage - reinterpret_cast<std::uintptr_t>(mapping) % kPage) % kPage),
      table_(table) {}

Arena::~Arena() {
  for (const auto& block : blocks_) {
    if (block->buffer != nullptr) objc_.release(block->buffer);
  }
  munmap(mapping_, kBytes + kPage);
  munmap(static_cast<void*>(table_), kBytes / kPage * sizeof(std::atomic<Block*>));
}

Result<void*> Arena::allocate(Id stream, std::size_t bytes) {
  if (bytes > kBytes) return no_memory(bytes);
  const std::size_t pages = size_class(std::max<std::size_t>((bytes + kPage - 1) / kPage, 1));
  const std::lock_guard lock(mutex_);
  Block* block = reuse(stream, pages);
  if (block == nullptr) block = add(pages);
  if (block == nullptr || !wrap(*block)) return no_memory(bytes);
  return static_cast<void*>(block->start);
}

Arena::Block* Arena::reuse(Id stream, std::size_t pages) {
  std::vector<Block*>& freed = freed_[pages];
  const auto fits = [&](const Block* block) { return block->is_settled || block->stream == stream; };
  const auto found = std::ranges::find_if(freed, fits);
  if (found == freed.end()) return nullptr;
  Block* const block = *found;
  freed.erase(found);
  return block;
}

Arena::Block* Arena::add(std::size_t pages) {
  if (pages > kBytes / kPage - used_pages_) return nullptr;
  auto block = std::make_unique<Block>();
  block->start = base_ + used_pages_ * kPage;
  block->pages = pages;
  used_pages_ += pages;
  blocks_.push_back(std::move(block));
  return blocks_.back().get();
}

// Creates the block's buffer and enters it into the table. On failure, returns the block to the freed ones and returns
// false.
bool Arena::wrap(Block& block) {
  if (block.buffer == nullptr) take_pages(block.start, block.pages * kPage);
  for (int attempt = 0; block.buffer == nullptr && attempt < 2; ++attempt) {
    if (attempt == 1) trim();
    block.buffer = objc_.new_buffer(device_, block.start, block.pages * kPage, kStorageShared, nullptr);
  }
  if (block.buffer == nullptr) {
    freed_[block.pages].push_back(&block);
    return false;
  }
  const auto first = static_cast<std::size_t>(block.start - base_) / kPage;
  for (std::size_t page = first; page < first + block.pages; ++page) {
    table_[page].store(&block, std::memory_order_release);
  }
  return true;
}

// Releases the memory of freed, settled blocks. The blocks keep their addresses.
void Arena::trim() {
  for (auto& [pages, freed] : freed_) {
    for (Block* const block : freed) {
      if (!block->is_settled || block->buffer == nullptr) continue;
      objc_.release(std::exchange(block->buffer, nullptr));
      give_back_pages(block->start, pages * kPage);
    }
  }
}

void Arena::free(Id stream, void* address) noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
  if (address == nullptr || offset >= kBytes) return;
  const std::lock_guard lock(mutex_);
  Block* const block = table_[offset / kPage].load(std::memory_order_relaxed);
  if (block == nullptr) return;
  block->stream = stream;
  block->freed_at = ++time_;
  block->is_settled = false;
  freed_[block->pages].push_back(block);
}

std::uint64_t Arena::now() noexcept {
  const std::lock_guard lock(mutex_);
  return time_;
}

void Arena::settle(Id stream, std::uint64_t time) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [pages, freed] : freed_) {
    for (Block* const block : freed) {
      if (block->stream == stream && block->freed_at <= time) block->is_settled = true;
    }
  }
}

}  // namespace kmux::metal
