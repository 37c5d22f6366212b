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
#include <math_constants.h>
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void flash_attention_kernel(__grid_constant__ const CUtensorMap K_desc, half_t* __restrict__ O, __grid_constant__ const CUtensorMap Q_desc, __grid_constant__ const CUtensorMap V_desc);
extern "C" __global__ void __launch_bounds__(256, 1) flash_attention_kernel(__grid_constant__ const CUtensorMap K_desc, half_t* __restrict__ O, __grid_constant__ const CUtensorMap Q_desc, __grid_constant__ const CUtensorMap V_desc) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
  void* q = ((void*)((char*)buf_dyn_shmem + 0));
  void* k = ((void*)((char*)buf_dyn_shmem + 8192));
  void* v = ((void*)((char*)buf_dyn_shmem + 24576));
  __shared__ __align__(16) uint64_t mbarrier_mem[9];
  auto mbarrier = reinterpret_cast<Barrier*>(mbarrier_mem);
  float result[32];
  float total[2];
  float largest[2];
  float scores[32];
  float before[2];
  float largest_clear[2];
  float correction[2];
  float added[2];
  half_t weights[32];
  if (tl::tl_shuffle_elect<0>()) {
    tl::prefetch_tma_descriptor(Q_desc);
    tl::prefetch_tma_descriptor(K_desc);
    tl::prefetch_tma_descriptor(V_desc);
  }
  if (tl::tl_shuffle_elect<0>()) {
    mbarrier[0].init(1);
    mbarrier[1].init(1);
    mbarrier[2].init(1);
    mbarrier[3].init(1);
    mbarrier[4].init(128);
    mbarrier[5].init(128);
    mbarrier[6].init(128);
    mbarrier[7].init(128);
    mbarrier[8].init(1);
  }
  tl::fence_barrier_init();
  __syncthreads();
  if (tl::tl_shuffle_elect<256>()) {
    mbarrier[8].arrive_and_expect_tx(8192);
    tl::tma_load(Q_desc, mbarrier[8], (&(((half_t*)q)[0])), 0, (((int)blockIdx.x) * 64), ((int)blockIdx.y), 0);
  }
  __syncthreads();
  if (((int)threadIdx.x) < 128) {
    tl::warpgroup_reg_dealloc<24>();
    for (int step = 0; step < 16; ++step) {
      mbarrier[((step & 1) + 4)].wait((((step & 3) >> 1) ^ 1));
      if (tl::tl_shuffle_elect<128>()) {
        mbarrier[(step & 1)].arrive_and_expect_tx(8192);
        tl::tma_load(K_desc, mbarrier[(step & 1)], (&(((half_t*)k)[((step & 1) * 4096)])), 0, (step * 64), ((int)blockIdx.y), 0);
      }
      mbarrier[((step & 1) + 6)].wait((((step & 3) >> 1) ^ 1));
      if (tl::tl_shuffle_elect<128>()) {
        mbarrier[((step & 1) + 2)].arrive_and_expect_tx(8192);
        tl::tma_load(V_desc, mbarrier[((step & 1) + 2)], (&(((half_t*)v)[((step & 1) * 4096)])), 0, (step * 64), ((int)blockIdx.y), 0);
      }
    }
  } else {
    tl::warpgroup_reg_alloc<240>();
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
      float broadcast_var = 0x0p+0f/*0.000000e+00*/;
      *(float4*)(result + (i * 4)) = make_float4(broadcast_var, broadcast_var, broadcast_var, broadcast_var);
    }
    float broadcast_var_1 = 0x0p+0f/*0.000000e+00*/;
    *(float2*)(total + 0) = make_float2(broadcast_var_1, broadcast_var_1);
    float broadcast_var_2 = -CUDART_INF_F;
    *(float2*)(largest + 0) = make_float2(broadcast_var_2, broadcast_var_2);
    for (int step_1 = 0; step_1 < 16; ++step_1) {
      #pragma unroll
      for (int i_1 = 0; i_1 < 8; ++i_1) {
        float broadcast_var_3 = 0x0p+0f/*0.000000e+00*/;
        *(float4*)(scores + (i_1 * 4)) = make_float4(broadcast_var_3, broadcast_var_3, broadcast_var_3, broadcast_var_3);
      }
      if (step_1 == 0) {
        mbarrier[8].wait(0);
      }
      mbarrier[(step_1 & 1)].wait(((step_1 & 3) >> 1));
      {
        tl::GmmaDescriptor desc_a;
        tl::GmmaDescriptor desc_b;
        tl::initialize_wgmma_descriptor<1, 1, 64>(desc_a, (&(((half_t*)q)[0])));
        tl::initialize_wgmma_descriptor<1, 1, 64>(desc_b, (&(((half_t*)k)[0])));
        tl::increase_descriptor_offset<int>(desc_b, ((step_1 & 1) * 8192));
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(scores + 0), 32);
        tl::warpgroup_arrive();
        #pragma unroll
        for (int ki = 0; ki < 4; ++ki) {
          tl::wgmma_ss<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 64, 16, false, false, 1, 1>(uint64_t(desc_a + ((ki * 32) >> 4)), uint64_t(desc_b + ((ki * 32) >> 4)), ((uint32_t*)(scores + 0)), 1);
        }
        tl::warpgroup_commit_batch();
        tl::warpgroup_wait<0>();
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(scores + 0), 32);
      }
      mbarrier[((step_1 & 1) + 4)].arrive();
      *(float2*)(before + 0) = *(float2*)(largest + 0);
      #pragma unroll
      for (int i_2 = 0; i_2 < 2; ++i_2) {
        largest_clear[i_2] = -CUDART_INF_F;
        #pragma unroll
        for (int rv = 0; rv < 16; ++rv) {
          largest_clear[i_2] = max(largest_clear[i_2], scores[((((rv & 7) * 4) + (i_2 * 2)) + (rv >> 3))]);
        }
        largest_clear[i_2] = tl::AllReduce<tl::MaxOp, 4, 1, 128, tl::NamedBarrier<128>>::run(largest_clear[i_2]);
        largest[i_2] = max(largest[i_2], largest_clear[i_2]);
      }
      float broadcast_var_4 = 0x1.7154764ee6c2fp-3f/*1.803369e-01*/;
      float broadcast_var_5 = 0x1.7154764ee6c2fp-3f/*1.803369e-01*/;
      float2 __1;
      float2 __2;
        float2 __3;
          float2 v_ = *(float2*)(before + 0);
          float2 v__1 = make_float2(broadcast_var_4, broadcast_var_4);
          __3.x = (v_.x*v__1.x);
          __3.y = (v_.y*v__1.y);
        float2 __4;
          float2 v__2 = *(float2*)(largest + 0);
          float2 v__3 = make_float2(broadcast_var_5, broadcast_var_5);
          __4.x = (v__2.x*v__3.x);
          __4.y = (v__2.y*v__3.y);
        __2.x = (__3.x-__4.x);
        __2.y = (__3.y-__4.y);
      __1.x = exp2f(__2.x);
      __1.y = exp2f(__2.y);
      *(float2*)(correction + 0) = __1;
      #pragma unroll
      for (int i_3 = 0; i_3 < 16; ++i_3) {
        float broadcast_var_6 = 0x1.7154764ee6c2fp-3f/*1.803369e-01*/;
        float2 __5;
        float2 __6;
          float2 __7;
            float2 v__4 = *(float2*)(scores + (i_3 * 2));
            float2 v__5 = make_float2(broadcast_var_6, broadcast_var_6);
            __7.x = (v__4.x*v__5.x);
            __7.y = (v__4.y*v__5.y);
          float2 v__6 = make_float2((largest[(i_3 & 1)] * 0x1.7154764ee6c2fp-3f/*1.803369e-01*/), (largest[(i_3 & 1)] * 0x1.7154764ee6c2fp-3f/*1.803369e-01*/));
          __6.x = (__7.x-v__6.x);
          __6.y = (__7.y-v__6.y);
        __5.x = exp2f(__6.x);
        __5.y = exp2f(__6.y);
        *(float2*)(scores + (i_3 * 2)) = __5;
      }
      #pragma unroll
      for (int i_4 = 0; i_4 < 2; ++i_4) {
        added[i_4] = 0x0p+0f/*0.000000e+00*/;
        #pragma unroll
        for (int rv_1 = 0; rv_1 < 16; ++rv_1) {
          added[i_4] = (added[i_4] + scores[((((rv_1 & 7) * 4) + (i_4 * 2)) + (rv_1 >> 3))]);
        }
        added[i_4] = tl::AllReduce<tl::SumOp, 4, 1, 128, tl::NamedBarrier<128>>::run(added[i_4]);
      }
      float2 __8;
        float2 __9;
          float2 v__7 = *(float2*)(total + 0);
          float2 v__8 = *(float2*)(correction + 0);
          __9.x = (v__7.x*v__8.x);
          __9.y = (v__7.y*v__8.y);
        float2 v__9 = *(float2*)(added + 0);
        __8.x = (__9.x+v__9.x);
        __8.y = (__9.y+v__9.y);
      *(float2*)(total + 0) = __8;
      #pragma unroll
      for (int i_5 = 0; i_5 < 8; ++i_5) {
        uint2 __10;
        float4 v__10 = *(float4*)(scores + (i_5 * 4));
        ((half2*)(&__10))[0] = __float22half2_rn(((float2*)(&v__10))[0]);
        ((half2*)(&__10))[1] = __float22half2_rn(((float2*)(&v__10))[1]);
        *(uint2*)(weights + (i_5 * 4)) = __10;
      }
      #pragma unroll
      for (int i_6 = 0; i_6 < 16; ++i_6) {
        float2 __11;
          float2 v__11 = *(float2*)(result + (i_6 * 2));
          float2 v__12 = make_float2(correction[(i_6 & 1)], correction[(i_6 & 1)]);
          __11.x = (v__11.x*v__12.x);
          __11.y = (v__11.y*v__12.y);
        *(float2*)(result + (i_6 * 2)) = __11;
      }
      mbarrier[((step_1 & 1) + 2)].wait(((step_1 & 3) >> 1));
      {
        tl::GmmaDescriptor desc_b_1;
        tl::initialize_wgmma_descriptor<1, 0, 64>(desc_b_1, (&(((half_t*)v)[0])));
        tl::increase_descriptor_offset<int>(desc_b_1, ((step_1 & 1) * 8192));
        tl::warpgroup_fence_operand(reinterpret_cast<uint32_t*>(weights + 0), 16);
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(result + 0), 32);
        tl::warpgroup_arrive();
        #pragma unroll
        for (int ki_1 = 0; ki_1 < 4; ++ki_1) {
          tl::wgmma_rs<tl::DataType::kFloat16, tl::DataType::kFloat16, tl::DataType::kFloat32, 64, 64, 16, false, true, 1, 1>(reinterpret_cast<const uint32_t*>(weights + (ki_1 * 8)), uint64_t(desc_b_1 + ((ki_1 * 2048) >> 4)), reinterpret_cast<uint32_t*>(result + 0), 1);
        }
        tl::warpgroup_commit_batch();
        tl::warpgroup_wait<0>();
        tl::warpgroup_fence_operand(reinterpret_cast<float*>(result + 0), 32);
        tl::warpgroup_fence_operand(reinterpret_cast<uint32_t*>(weights + 0), 16);
      }
      mbarrier[((step_1 & 1) + 6)].arrive();
    }
    #pragma unroll
    for (int i_7 = 0; i_7 < 16; ++i_7) {
      float2 __12;
        float2 v__13 = *(float2*)(result + (i_7 * 2));
        float2 v__14 = make_float2(total[(i_7 & 1)], total[(i_7 & 1)]);
        __12.x = (v__13.x/v__14.x);
        __12.y = (v__13.y/v__14.y);
      *(float2*)(result + (i_7 * 2)) = __12;
    }
    #pragma unroll
    for (int i_8 = 0; i_8 < 16; ++i_8) {
      half_t O_local_cast[2];
      uint1 __13;
      float2 v__15 = *(float2*)(result + (i_8 * 2));
      ((half2*)(&__13))[0] = __float22half2_rn(((float2*)(&v__15))[0]);
      *(uint1*)(O_local_cast + 0) = __13;
      *(uint1*)(O + ((((((((((int)blockIdx.x) * 32768) + ((((int)threadIdx.x) >> 5) * 8192)) + ((i_8 & 1) * 4096)) + (((((int)threadIdx.x) & 31) >> 2) * 512)) + (((int)blockIdx.y) * 64)) + ((i_8 >> 1) * 8)) + ((((int)threadIdx.x) & 3) * 2)) - 32768)) = *(uint1*)(O_local_cast + 0);
    }
  }
}
