#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <tl_templates/cuda/instruction/wgmma.h>
#include <tl_templates/cuda/intrin.h>
#include <tl_templates/cuda/barrier.h>
#include <tl_templates/cuda/copy_sm90.h>
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void gemm_f16_split_kernel(__grid_constant__ const CUtensorMap A_desc, __grid_constant__ const CUtensorMap B_desc, float* __restrict__ partial, int m);
extern "C" __global__ void gemm_f16_split_kernel_1(float* __restrict__ C, const float* __restrict__ partial, int m);
extern "C" __global__ void __launch_bounds__(256, 1) gemm_f16_split_kernel(__grid_constant__ const CUtensorMap A_desc, __grid_constant__ const CUtensorMap B_desc, float* __restrict__ partial, int m) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
  void* a = ((void*)((char*)buf_dyn_shmem + 0));
  void* b = ((void*)((char*)buf_dyn_shmem + 16384));
  __shared__ __align__(16) uint64_t mbarrier_mem[4];
  auto mbarrier = reinterpret_cast<Barrier*>(mbarrier_mem);
  float total[32];
  if (tl::tl_shuffle_elect<0>()) {
    tl::prefetch_tma_descriptor(A_desc);
    tl::prefetch_tma_descriptor(B_desc);
  }
  if (tl::tl_shuffle_elect<0>()) {
    mbarrier[0].init(1);
    mbarrier[1].init(1);
    mbarrier[2].init(128);
    mbarrier[3].init(128);
  }
  tl::fence_barrier_init();
  __syncthreads();
  if (((int)threadIdx.x) < 128) {
    tl::warpgroup_reg_dealloc<24>();
    for (int step = 0; step < 16; ++step) {
      mbarrier[((step & 1) + 2)].wait((((step & 3) >> 1) ^ 1));
      if (tl::tl_shuffle_elect<128>()) {
        mbarrier[(step & 1)].expect_transaction(8192);
        tl::tma_load(A_desc, mbarrier[(step & 1)], (&(((half_t*)a)[((step & 1) * 4096)])), ((((int)blockIdx.z) * 1024) + (step * 64)), (((int)blockIdx.y) * 64));
        mbarrier[(step & 1)].arrive_and_expect_tx(8192);
        tl::tma_load(B_desc, mbarrier[(step & 1)], (&(((half_t*)b)[((step & 1) * 4096)])), (((int)blockIdx.x) * 64), ((((int)blockIdx.z) * 1024) + (step * 64)));
      }
    }
  } else {
    tl::warpgroup_reg_alloc<240>();
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      float broadcast_var = 0x0p+0f/*0.000000e+00*/;
      *(float4*)(total + (i * 4)) = make_float4(broadcast_var, broadcast_var, broadcast_var, broadcast_var);
    }
    for (int step_1 = 0; step_1 < 16; ++step_1) {
      mbarrier[(step_1 & 1)].wait(((step_1 & 3) >> 1));
      {
        tl::GmmaDescriptor desc_a;
        tl::GmmaDescriptor desc_b;
        tl::initialize_wgmma_descriptor<1, 1, 64>(desc_a, (&(((half_t*)a)[0])));
        tl::increase_descriptor_offset<int>(desc_a, ((step_1 & 1) * 8192));
        tl::initialize_wgmma_descriptor<1, 0, 64>(desc_b, (&(((half_t*)b)[0])));
        tl::increase_descriptor_offset<int>(desc_b, ((step_1 & 1) * 8192));
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(total + 0), 32);
        tl::warpgroup_arrive();
        #pragma unroll
        for (int ki = 0; ki < 4; ++ki) {
          tl::wgmma_ss<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 64, 16, false, true, 1, 1>(uint64_t(desc_a + ((ki * 32) >> 4)), uint64_t(desc_b + ((ki * 2048) >> 4)), ((uint32_t*)(total + 0)), 1);
        }
        tl::warpgroup_commit_batch();
        tl::warpgroup_wait<0>();
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(total + 0), 32);
      }
      mbarrier[((step_1 & 1) + 2)].arrive();
    }
    #pragma unroll
    for (int i_1 = 0; i_1 < 16; ++i_1) {
      if (((((((int)blockIdx.y) * 64) + ((((int)threadIdx.x) >> 5) * 16)) + ((i_1 & 1) * 8)) + ((((int)threadIdx.x) & 31) >> 2)) < (m + 64)) {
        *(float2*)(partial + (((((((((((int64_t)((int)blockIdx.y)) * (int64_t)16384) + ((((int64_t)((int)threadIdx.x)) >> (int64_t)5) * (int64_t)4096)) + ((((int64_t)i_1) & (int64_t)1) * (int64_t)2048)) + (((((int64_t)((int)threadIdx.x)) & (int64_t)31) >> (int64_t)2) * (int64_t)256)) + ((((int64_t)((int)blockIdx.z)) * ((int64_t)m)) * (int64_t)256)) + (((int64_t)((int)blockIdx.x)) * (int64_t)64)) + ((((int64_t)i_1) >> (int64_t)1) * (int64_t)8)) + ((((int64_t)((int)threadIdx.x)) & (int64_t)3) * (int64_t)2)) - (int64_t)16384)) = *(float2*)(total + (i_1 * 2));
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(128, 1) gemm_f16_split_kernel_1(float* __restrict__ C, const float* __restrict__ partial, int m) {
  float total[1];
  total[0] = 0x0p+0f/*0.000000e+00*/;
  for (int part = 0; part < 4; ++part) {
    total[0] = (total[0] + partial[(((((((int64_t)part) * ((int64_t)m)) * (int64_t)256) + (((int64_t)((int)blockIdx.y)) * (int64_t)256)) + (((int64_t)((int)blockIdx.x)) * (int64_t)128)) + ((int64_t)((int)threadIdx.x)))]);
  }
  C[(((((int64_t)((int)blockIdx.y)) * (int64_t)256) + (((int64_t)((int)blockIdx.x)) * (int64_t)128)) + ((int64_t)((int)threadIdx.x)))] = total[0];
}
