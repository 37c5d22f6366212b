#pragma once

// The runtime parts of an exported library, for backend cpu. The call's structs precede this text, then
// KMUX_KERNELS_MAY_THROW if kernels may throw, and KMUX_KERNELS_ON_GRIDS with the files of runtime/ if they run on
// grids. `kmux_cpu_lacks` follows it, from the processor that the code is for.
#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif
#ifdef KMUX_KERNELS_MAY_THROW
#include <exception>
#endif

#include "kmux/plugin/plugin.h"

extern "C" int kmux_cpu_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error);

/// Returns the first feature that the code uses and this processor lacks, or null.
static const char* kmux_cpu_lacks();

namespace kmux {
namespace cpu {

// A cache line, a vector register.
constexpr size_t kMinAlignment = 64;

inline int allocate(void*, int, void*, size_t bytes, size_t alignment, void** address) {
  const size_t unit = alignment > kMinAlignment ? alignment : kMinAlignment;
  *address = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  return *address == nullptr ? KMUX_UNAVAILABLE : KMUX_OK;
}

inline void release(void*, int, void*, void* address) { free(address); }

inline void say(kmux_sink error, const char* text) { error.write(error.self, text, strlen(text)); }

static const kmux_allocator own_allocator = {sizeof(kmux_allocator), nullptr, allocate, release};
static bool is_checked;  // set by a check that found nothing lacking; until then each call checks

__attribute__((cold, noinline)) static int check(int device, kmux_sink error) {
  if (device != 0) {
    say(error, "there is one device, 0 (this machine). Use that.");
    return KMUX_INVALID_ARGUMENT;
  }
  if (const char* const lacking = kmux_cpu_lacks()) {
    say(error, "the library is for another processor (this one lacks ");
    say(error, lacking);
#ifdef __aarch64__
    say(error, "). Export it here, or for a lesser processor, as \"cpu:generic\".");
#else
    say(error, "). Export it here, or for a lesser processor, as \"cpu:x86-64-v2\".");
#endif
    return KMUX_UNAVAILABLE;
  }
  __atomic_store_n(&is_checked, true, __ATOMIC_RELAXED);
  return KMUX_OK;
}

inline int launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  if (env->allocator != nullptr) return kmux_cpu_launch(slots, env, error);
  kmux_launch_env own = *env;
  own.allocator = &own_allocator;
  return kmux_cpu_launch(slots, &own, error);
}

#ifdef KMUX_KERNELS_MAY_THROW
inline int guarded_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  try {
    return launch(slots, env, error);
  } catch (const std::exception& exception) {
    say(error, "the kernel threw \"");
    say(error, exception.what());
  } catch (...) {
    say(error, "the kernel threw \"something that is not a std::exception");
  }
  say(error, "\" (exceptions do not leave a kernel). Catch it, or return a number that says what is wrong.");
  return KMUX_LAUNCH_FAILED;
}
#else
inline int guarded_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  return launch(slots, env, error);
}
#endif

}  // namespace cpu
}  // namespace kmux

extern "C" int kmux_standalone_prepare(int device, kmux_sink error) {
  const int code = kmux::cpu::check(device, error);
#ifdef KMUX_KERNELS_ON_GRIDS
  if (code == KMUX_OK) kmux::simt::pool().start();
#endif
  return code;
}

extern "C" int kmux_standalone_launch(const kmux_slot* slots, const kmux_launch_env* env, kmux_sink error) {
  if (!__atomic_load_n(&kmux::cpu::is_checked, __ATOMIC_RELAXED)) {
    if (const int code = kmux::cpu::check(env->device, error)) return code;
  }
  return kmux::cpu::guarded_launch(slots, env, error);
}

extern "C" void kmux_standalone_close(void) {
#ifdef KMUX_KERNELS_ON_GRIDS
  kmux::simt::pool().stop();
#endif
}
