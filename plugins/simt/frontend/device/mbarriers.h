// Barriers in shared memory that count (cuda_awbarrier_primitives.h).
#pragma once

typedef unsigned long __mbarrier_t;
typedef unsigned long __mbarrier_token_t;

KMUX_DEVICE unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
KMUX_DEVICE void __mbarrier_init(__mbarrier_t* b, unsigned count) {
  asm volatile("mbarrier.init.b64 [%0], %1;" ::"r"(b), "r"(count) : "memory");
}
KMUX_DEVICE void __mbarrier_inval(__mbarrier_t* b) { asm volatile("mbarrier.inval.b64 [%0];" ::"r"(b) : "memory"); }
KMUX_DEVICE __mbarrier_token_t kmux_mbarrier_arrive(__mbarrier_t* b, unsigned count) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive.b64 %0, [%1], %2;" : "=r"(token) : "r"(b), "r"(count) : "memory");
  return token;
}
KMUX_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* b) { return kmux_mbarrier_arrive(b, 1); }
KMUX_DEVICE void kmux_mbarrier_expect(__mbarrier_t* b, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.b64 [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}
KMUX_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* b) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive_drop.b64 %0, [%1];" : "=r"(token) : "r"(b) : "memory");
  return token;
}
#define KMUX_WAIT(name, text, type)                                                       \
  KMUX_DEVICE bool name(__mbarrier_t* b, type until) {                                    \
    unsigned done;                                                                        \
    asm volatile("{ .reg .pred p; mbarrier." text " p, [%1], %2; selp.u32 %0, 1, 0, p; }" \
                 : "=r"(done)                                                             \
                 : "r"(b), "r"(until)                                                     \
                 : "memory");                                                             \
    return done != 0;                                                                     \
  }
KMUX_WAIT(__mbarrier_test_wait, "test_wait.b64", __mbarrier_token_t)
KMUX_WAIT(kmux_mbarrier_test_parity, "test_wait.parity.b64", unsigned)
KMUX_WAIT(kmux_mbarrier_try_wait, "try_wait.b64", __mbarrier_token_t)
KMUX_WAIT(kmux_mbarrier_try_parity, "try_wait.parity.b64", unsigned)
#undef KMUX_WAIT
KMUX_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t* b, bool parity) {
  return kmux_mbarrier_test_parity(b, parity);
}
// The limit of time means nothing: a wait ends, or nothing else can run.
KMUX_DEVICE bool __mbarrier_try_wait(__mbarrier_t* b, __mbarrier_token_t token, unsigned) {
  return kmux_mbarrier_try_wait(b, token);
}
KMUX_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t* b, bool parity, unsigned) {
  return kmux_mbarrier_try_parity(b, parity);
}
KMUX_DEVICE unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "r"(token));
  return count;
}
KMUX_DEVICE void __pipeline_arrive_on(__mbarrier_t* b) {
  asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"r"(b) : "memory");
}
