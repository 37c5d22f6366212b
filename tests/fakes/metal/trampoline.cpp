#include <string>

#include "object.h"
#include "world.h"

// objc_msgSend is called as if it were the method: it must preserve all arguments and jump to the result of
// `find_method`.
namespace kmux::fake_metal {
namespace {

long ignore() { return 0; }

void* find(const Class* isa, Selector selector) {
  for (; isa != nullptr; isa = isa->parent) {
    if (const auto found = isa->methods.find(selector); found != isa->methods.end()) return found->second;
  }
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"), used)) void* kmux_fake_metal_find_method(void* receiver,
                                                                                         Selector selector) {
  void* const nothing = reinterpret_cast<void*>(&ignore);
  if (receiver == nullptr) return nothing;  // as in Objective-C
  const std::lock_guard guard(lock());
  World& world = World::get();
  const auto& object = *static_cast<const Object*>(receiver);
  const std::string said = "-[" + std::string(object.isa().name) + " " + selector + "]";
  world.sent(object.isa(), selector);
  if (object.is_dead()) return world.complain(said + " was sent to an object that was released"), nothing;
  void* const method = find(&object.isa(), selector);
  if (method == nullptr) return world.complain(said + " is not known"), nothing;
  return method;
}

}  // namespace kmux::fake_metal

#if defined(__x86_64__)
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, @function
objc_msgSend:
  push %rbp
  mov %rsp, %rbp
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call kmux_fake_metal_find_method
  mov %rax, %r11
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $128, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rbp
  jmp *%r11
  .size objc_msgSend, .-objc_msgSend
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend:
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  bl kmux_fake_metal_find_method
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  br x16
  .size objc_msgSend, .-objc_msgSend
)");
#else
#error "objc_msgSend is written for x86-64 and aarch64"
#endif
