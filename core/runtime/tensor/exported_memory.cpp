#include "exported_memory.h"

#include <atomic>
#include <map>
#include <shared_mutex>

namespace kmux {
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
  static Table& one = *new Table;  // tensors may be given back late in the process
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

}  // namespace kmux
