#include "simt/runtime/stack.h"

#include <pthread.h>

#include "simt/runtime/arena.h"

namespace kmux::simt {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kCanLeave = true;
#else
constexpr bool kCanLeave = false;
#endif

constexpr std::size_t kForCallsBytes = std::size_t{24} << 10;  // for kernels' callees, and to unwind from there
constexpr std::size_t kMoreBytes = std::size_t{64} << 10;  // extra bytes of a new stack: as above, with some to spare

__thread StackBounds bounds;

StackBounds find_bounds() noexcept {
  StackBounds found{};
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    found.low = reinterpret_cast<std::uintptr_t>(low);
    found.high = found.low + bytes;
  }
  pthread_attr_destroy(&attributes);
#endif
  return found;
}

// Using the frame's address gives this function a frame pointer, by which a debugger finds the way back to the other stack.
__attribute__((noinline)) void call_on(char* top, Work work, void* context) noexcept {
  asm volatile("" : : "r"(__builtin_frame_address(0)));
#if defined(__x86_64__)
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[top], %%rsp\n\t"
      "callq *%[work]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(context), [top] "+S"(top), [work] "+d"(work)
      :
      : "rax", "rbx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
#elif defined(__aarch64__)
  register void* argument asm("x0") = context;
  register char* its_top asm("x1") = top;
  register Work called asm("x2") = work;
  asm volatile(
      "mov x19, sp\n\t"
      "mov sp, %[top]\n\t"
      "blr %[work]\n\t"
      "mov sp, x19"
      : "+r"(argument), [top] "+r"(its_top), [work] "+r"(called)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x30",
        "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
        "memory", "cc");
#else
  (void)top;
  work(context);
#endif
}

}  // namespace

const StackBounds& stack_bounds() noexcept {
  if (bounds.high == 0) bounds = find_bounds();
  return bounds;
}

bool has_stack(std::size_t bytes) noexcept {
  if (!kCanLeave) return true;
  const StackBounds& known = stack_bounds();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here >= known.low && here < known.high && here - known.low >= bytes + kForCallsBytes;
}

// Its memory is taken as long as a call runs there, and a call from there has other memory.
bool has_left_stack() noexcept { return stack_arena.is_taken; }

bool run_on_stack(std::size_t bytes, Work work, void* context) noexcept {
  const BlockMemory memory(bytes + kMoreBytes, stack_arena);
  if (memory.get() == nullptr) return false;
  const StackBounds before = bounds;
  char* const low = memory.get();
  char* const high = low + (bytes + kMoreBytes) / 64 * 64;
  bounds = {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(high)};
  call_on(high, work, context);
  bounds = before;
  return true;
}

}  // namespace kmux::simt
