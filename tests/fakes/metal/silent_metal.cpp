// A Metal that does nothing and allocates nothing, so that a call costs only kmux's own time. For bars, and for tests
// that count.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define KMUX_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Block {
  void* isa;
  int flags;
  int reserved;
  void (*invoke)(void* self, void* command_buffer);
};

long thing;  // every object
std::atomic<unsigned long> sent{0};
constexpr const char* kHandler = "addCompletedHandler:";
constexpr const char* kStatus = "status";
constexpr const char* kStaticMemory = "staticThreadgroupMemoryLength";

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void* _NSConcreteGlobalBlock[32] = {};
}

// Also called with other arguments; it reads only the first.
KMUX_EXPORT void* objc_msgSend(void*, const char* selector, void* first) {
  sent.store(sent.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (selector == kHandler) static_cast<Block*>(first)->invoke(first, &thing);
  return selector == kStatus || selector == kStaticMemory ? nullptr : &thing;
}

KMUX_EXPORT void* sel_registerName(const char* name) {
  for (const char* known : {kHandler, kStatus, kStaticMemory}) {
    if (std::strcmp(name, known) == 0) return const_cast<char*>(known);
  }
  return const_cast<char*>(name);
}

KMUX_EXPORT void* objc_getClass(const char*) { return &thing; }
KMUX_EXPORT void* objc_autoreleasePoolPush() { return &thing; }
KMUX_EXPORT void objc_autoreleasePoolPop(void*) {}
KMUX_EXPORT void* dispatch_data_create(const void*, std::size_t, void*, void*) { return &thing; }
KMUX_EXPORT void* MTLCreateSystemDefaultDevice() { return &thing; }

/// Returns the number of messages sent so far.
KMUX_EXPORT unsigned long kmux_silent_metal_messages() { return sent.load(std::memory_order_relaxed); }
