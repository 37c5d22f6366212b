// Atomics on global and shared memory; each returns the previous value. Arguments convert to the memory's type, as for
// CUDA's overloads. Templates are only instantiated where used, and overloads of the source take precedence.
#pragma once

// On a GPU a thread that took a ticket from an atomic sees, after a barrier, the writes of the threads before it. x86
// processors order memory this way by default, and AArch64 processors on request (casal, ldaddal), at no cost.
#ifdef __aarch64__
#define KMUX_ORDER __ATOMIC_ACQ_REL
#define KMUX_LOAD_ORDER __ATOMIC_ACQUIRE
#else
#define KMUX_ORDER __ATOMIC_RELAXED
#define KMUX_LOAD_ORDER __ATOMIC_RELAXED
#endif

#define KMUX_ATOMIC(name, operation)                    \
  template <class T>                                    \
  KMUX_DEVICE T name(T* address, kmux_value<T> value) { \
    return operation(address, value, KMUX_ORDER);       \
  }
KMUX_ATOMIC(atomicAdd, __atomic_fetch_add)
KMUX_ATOMIC(atomicSub, __atomic_fetch_sub)
KMUX_ATOMIC(atomicMin, __atomic_fetch_min)
KMUX_ATOMIC(atomicMax, __atomic_fetch_max)
KMUX_ATOMIC(atomicAnd, __atomic_fetch_and)
KMUX_ATOMIC(atomicOr, __atomic_fetch_or)
KMUX_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef KMUX_ATOMIC
// One atomic for each element: GPUs guarantee no more.
KMUX_DEVICE float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
KMUX_DEVICE float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}
template <class T>
KMUX_DEVICE T atomicExch(T* address, kmux_value<T> value) {
  T before;
  __atomic_exchange(address, &value, &before, KMUX_ORDER);
  return before;
}
template <class T>
KMUX_DEVICE T atomicCAS(T* address, kmux_value<T> expected, kmux_value<T> value) {
  __atomic_compare_exchange(address, &expected, &value, false, KMUX_ORDER, KMUX_LOAD_ORDER);
  return expected;
}

// Replaces the value by `next` of it, which no atomic instruction computes. Returns the previous value.
template <class T, class F>
KMUX_DEVICE T kmux_update(T* address, F next) {
  T before;
  __atomic_load(address, &before, KMUX_LOAD_ORDER);
  for (;;) {
    T after = next(before);
    if (__atomic_compare_exchange(address, &before, &after, false, KMUX_ORDER, KMUX_LOAD_ORDER)) return before;
  }
}
template <class T>
KMUX_DEVICE T atomicInc(T* address, kmux_value<T> limit) {
  return kmux_update(address, [=](T before) { return before >= limit ? T(0) : before + 1; });
}
template <class T>
KMUX_DEVICE T atomicDec(T* address, kmux_value<T> limit) {
  return kmux_update(address, [=](T before) { return before == 0 || before > limit ? limit : before - 1; });
}

// One scope covers all: the memory of a processor is the same for all of its threads.
#define atomicAdd_block atomicAdd
#define atomicAdd_system atomicAdd
#define atomicSub_block atomicSub
#define atomicSub_system atomicSub
#define atomicMin_block atomicMin
#define atomicMin_system atomicMin
#define atomicMax_block atomicMax
#define atomicMax_system atomicMax
#define atomicAnd_block atomicAnd
#define atomicAnd_system atomicAnd
#define atomicOr_block atomicOr
#define atomicOr_system atomicOr
#define atomicXor_block atomicXor
#define atomicXor_system atomicXor
#define atomicExch_block atomicExch
#define atomicExch_system atomicExch
#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS
#define atomicInc_block atomicInc
#define atomicInc_system atomicInc
#define atomicDec_block atomicDec
#define atomicDec_system atomicDec
