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

extern "C" __global__ void conv2d_kernel(half_t* __restrict__ flat_out, __grid_constant__ const CUtensorMap flat_weights_desc, __grid_constant__ const CUtensorMap image_desc);
extern "C" __global__ void __launch_bounds__(256, 1) conv2d_kernel(half_t* __restrict__ flat_out, __grid_constant__ const CUtensorMap flat_weights_desc, __grid_constant__ const CUtensorMap image_desc) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
  void* kernel = ((void*)((char*)buf_dyn_shmem + 0));
  void* result = ((void*)((char*)buf_dyn_shmem + 0));
  void* patch = ((void*)((char*)buf_dyn_shmem + 49152));
  __shared__ __align__(16) uint64_t mbarrier_mem[6];
  auto mbarrier = reinterpret_cast<Barrier*>(mbarrier_mem);
  float total[128];
  if (tl::tl_shuffle_elect<0>()) {
    tl::prefetch_tma_descriptor(image_desc);
    tl::prefetch_tma_descriptor(flat_weights_desc);
  }
  if (tl::tl_shuffle_elect<0>()) {
    mbarrier[0].init(1);
    mbarrier[1].init(1);
    mbarrier[2].init(1);
    mbarrier[3].init(128);
    mbarrier[4].init(128);
    mbarrier[5].init(128);
  }
  tl::fence_barrier_init();
  __syncthreads();
  if (((int)threadIdx.x) < 128) {
    tl::warpgroup_reg_dealloc<24>();
    for (int step = 0; step < 9; ++step) {
      mbarrier[((step % 3) + 3)].wait((((step % 6) / 3) ^ 1));
      if (tl::tl_shuffle_elect<128>()) {
        mbarrier[(step % 3)].expect_transaction(16384);
        tl::tma_load_im2col(image_desc, mbarrier[(step % 3)], (&(((half_t*)patch)[((step % 3) * 8192)])), 0, -1, (((((int)blockIdx.y) & 7) * 4) - 1), (((int)blockIdx.y) >> 3), (step % 3), (step / 3));
        mbarrier[(step % 3)].arrive_and_expect_tx(16384);
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
          tl::tma_load(flat_weights_desc, mbarrier[(step % 3)], (&(((half_t*)kernel)[(((step % 3) * 8192) + (i * 4096))])), (i * 64), (step * 64));
        }
      }
    }
  } else {
    tl::warpgroup_reg_alloc<240>();
    #pragma unroll
    for (int i_1 = 0; i_1 < 32; ++i_1) {
      float broadcast_var = 0x0p+0f/*0.000000e+00*/;
      *(float4*)(total + (i_1 * 4)) = make_float4(broadcast_var, broadcast_var, broadcast_var, broadcast_var);
    }
    for (int step_1 = 0; step_1 < 9; ++step_1) {
      mbarrier[(step_1 % 3)].wait(((step_1 % 6) / 3));
      {
        tl::GmmaDescriptor desc_a;
        tl::GmmaDescriptor desc_b;
        tl::initialize_wgmma_descriptor<1, 1, 64>(desc_a, (&(((half_t*)patch)[0])));
        tl::increase_descriptor_offset<int>(desc_a, ((step_1 % 3) * 16384));
        tl::initialize_wgmma_descriptor<1, 512, 64>(desc_b, (&(((half_t*)kernel)[0])));
        tl::increase_descriptor_offset<int>(desc_b, ((step_1 % 3) * 16384));
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(total + 0), 128);
        tl::warpgroup_arrive();
        #pragma unroll
        for (int i_2 = 0; i_2 < 2; ++i_2) {
          #pragma unroll
          for (int ki = 0; ki < 4; ++ki) {
            tl::wgmma_ss<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 128, 16, false, true, 1, 1>(uint64_t(desc_a + (((i_2 * 8192) + (ki * 32)) >> 4)), uint64_t(desc_b + ((ki * 2048) >> 4)), ((uint32_t*)(total + (i_2 * 64))), 1);
          }
        }
        tl::warpgroup_commit_batch();
        tl::warpgroup_wait<0>();
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(total + 0), 128);
      }
      mbarrier[((step_1 % 3) + 3)].arrive();
    }
    tl::__sync_thread_partial(3, 128);
    #pragma unroll
    for (int i_3 = 0; i_3 < 16; ++i_3) {
      tl::ptx_stmatrix_m8n8_x4((&(((half_t*)result)[(((((((i_3 >> 3) * 8192) + ((((int)threadIdx.x) >> 5) * 2048)) + ((((int)threadIdx.x) & 15) * 128)) + ((i_3 & 7) * 16)) + (((((int)threadIdx.x) & 31) >> 4) * 8)) - 8192)])), __pack_half2(((half_t)total[(i_3 * 8)]), ((half_t)total[((i_3 * 8) + 1)])), __pack_half2(((half_t)total[((i_3 * 8) + 2)]), ((half_t)total[((i_3 * 8) + 3)])), __pack_half2(((half_t)total[((i_3 * 8) + 4)]), ((half_t)total[((i_3 * 8) + 5)])), __pack_half2(((half_t)total[((i_3 * 8) + 6)]), ((half_t)total[((i_3 * 8) + 7)])));
    }
    tl::__sync_thread_partial(3, 128);
    if (tl::tl_shuffle_elect<128>()) {
      tl::fence_proxy_async();
      tl::tma_store((&(flat_out[(((int)blockIdx.y) * 16384)])), (&(((half_t*)result)[0])), 32768);
      tl::tma_store_arrive();
      tl::tma_store_wait<0, true>();
    }
  }
}
