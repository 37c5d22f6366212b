// Asynchronous copies of a GPU (cuda_pipeline.h). Here each copy completes at the call, so that no wait ever has a copy
// to wait for.
#pragma once

KMUX_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
}
KMUX_DEVICE void __pipeline_commit() {}
KMUX_DEVICE void __pipeline_wait_prior(size_t) {}
