// Copies that a GPU makes beside its threads (cuda_pipeline.h). Here each is made when it is asked for, so that there is never
// one to wait for.
#pragma once

KMUX_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
KMUX_DEVICE void __pipeline_commit() {}
KMUX_DEVICE void __pipeline_wait_prior(size_t) {}
